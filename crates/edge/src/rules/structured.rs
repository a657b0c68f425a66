//! Structured fields (RFC 8941), as much as caching needs: dictionaries of bare items, lists of strings. A field that does not
//! parse whole is no field at all.

/// A bare item; what the cache has no use for is only recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    Integer(i64),
    Boolean(bool),
    String(String),
    Other,
}

/// A dictionary's members in order; the last of two with one name wins.
pub fn dictionary(field: &str) -> Option<Vec<(String, Item)>> {
    let mut read = Reader { rest: field.as_bytes() };
    let mut members: Vec<(String, Item)> = Vec::new();
    read.spaces();
    while !read.rest.is_empty() {
        let name = read.key()?;
        let item = if read.eat(b'=') { read.item_or_inner()? } else { Item::Boolean(true) };
        read.parameters()?;
        members.retain(|(known, _)| *known != name);
        members.push((name, item));
        if !read.comma()? {
            break;
        }
    }
    Some(members)
}

/// A list's members, without their parameters.
pub fn list(field: &str) -> Option<Vec<Item>> {
    let mut read = Reader { rest: field.as_bytes() };
    let mut members = Vec::new();
    read.spaces();
    while !read.rest.is_empty() {
        members.push(read.item_or_inner()?);
        read.parameters()?;
        if !read.comma()? {
            break;
        }
    }
    Some(members)
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn eat(&mut self, wanted: u8) -> bool {
        let here = self.peek() == Some(wanted);
        if here {
            self.rest = &self.rest[1..];
        }
        here
    }

    fn spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.rest = &self.rest[1..];
        }
    }

    /// Whether another member follows; a comma with nothing after it is an error.
    fn comma(&mut self) -> Option<bool> {
        self.spaces();
        if self.rest.is_empty() {
            return Some(false);
        }
        if !self.eat(b',') {
            return None;
        }
        self.spaces();
        (!self.rest.is_empty()).then_some(true)
    }

    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> String {
        let end = self.rest.iter().position(|byte| !wanted(*byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        String::from_utf8_lossy(taken).into_owned()
    }

    fn key(&mut self) -> Option<String> {
        self.peek().filter(|first| first.is_ascii_lowercase() || *first == b'*')?;
        Some(self.take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-.*".contains(&byte)))
    }

    fn parameters(&mut self) -> Option<()> {
        while self.eat(b';') {
            self.spaces();
            self.key()?;
            if self.eat(b'=') {
                self.item()?;
            }
        }
        Some(())
    }

    fn item_or_inner(&mut self) -> Option<Item> {
        if !self.eat(b'(') {
            return self.item();
        }
        loop {
            self.spaces();
            if self.eat(b')') {
                return Some(Item::Other);
            }
            self.item()?;
            self.parameters()?;
            if !matches!(self.peek(), Some(b' ' | b')')) {
                return None;
            }
        }
    }

    fn item(&mut self) -> Option<Item> {
        match self.peek()? {
            b'"' => self.string(),
            b'?' => {
                self.next();
                match self.next()? {
                    b'0' => Some(Item::Boolean(false)),
                    b'1' => Some(Item::Boolean(true)),
                    _ => None,
                }
            }
            b':' => {
                self.next();
                self.take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
                self.eat(b':').then_some(Item::Other)
            }
            b'-' | b'0'..=b'9' => self.number(),
            first if first.is_ascii_alphabetic() || first == b'*' => {
                self.take_while(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte));
                Some(Item::Other)
            }
            _ => None,
        }
    }

    fn number(&mut self) -> Option<Item> {
        let sign = if self.eat(b'-') { -1 } else { 1 };
        let whole = self.take_while(|byte| byte.is_ascii_digit());
        if whole.is_empty() || whole.len() > 15 {
            return None;
        }
        if self.eat(b'.') {
            let part = self.take_while(|byte| byte.is_ascii_digit());
            return ((1..=3).contains(&part.len()) && whole.len() <= 12).then_some(Item::Other);
        }
        whole.parse::<i64>().ok().map(|value| Item::Integer(sign * value))
    }

    fn string(&mut self) -> Option<Item> {
        self.next();
        let mut text = String::new();
        loop {
            match self.next()? {
                b'"' => return Some(Item::String(text)),
                b'\\' => match self.next()? {
                    escaped @ (b'"' | b'\\') => text.push(char::from(escaped)),
                    _ => return None,
                },
                plain @ 0x20..=0x7e => text.push(char::from(plain)),
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries_parse_whole_or_not_at_all() {
        let one = |name: &str, item| Some(vec![(name.to_owned(), item)]);
        assert_eq!(dictionary("max-age=60"), one("max-age", Item::Integer(60)));
        assert_eq!(dictionary("no-store"), one("no-store", Item::Boolean(true)));
        assert_eq!(dictionary("no-store=?0"), one("no-store", Item::Boolean(false)));
        assert_eq!(dictionary("max-age=60;x=1"), one("max-age", Item::Integer(60)));
        assert_eq!(dictionary("max-age=1, max-age=2"), one("max-age", Item::Integer(2)));
        assert_eq!(dictionary("a=(1 2)"), one("a", Item::Other));
        assert_eq!(dictionary(""), Some(vec![]));
        for broken in ["max-age=", "MAX-AGE=1", "max-age=1,", "max-age=\"1", "max-age=1 x", "a=1,,b", "max-age=1.2345"] {
            assert_eq!(dictionary(broken), None, "{broken}");
        }
    }

    #[test]
    fn lists_of_strings() {
        let text = |it: &str| Item::String(it.to_owned());
        assert_eq!(list(r#""a", "b c";p=1"#), Some(vec![text("a"), text("b c")]));
        assert_eq!(list(r#""a\"b""#), Some(vec![text("a\"b")]));
        assert_eq!(list("a, 1"), Some(vec![Item::Other, Item::Integer(1)]));
        assert_eq!(list(r#""a" "b""#), None);
    }
}
