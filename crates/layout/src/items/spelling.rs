//! A JSON value as native attributes, and how it was spelt where attributes would lose that.
//!
//! The service keeps numbers but not their digits, maps but not the order of their names, texts but not their escapes. So beside
//! the attributes goes a spelling: the JSON text with everything left out that is written the plain way, `{"b":,"a":2.50}` for
//! `{"b":[1],"a":2.50}`. Most values need none, and no value is there twice.

#[cfg(test)]
mod tests;

use super::number::plain;
use crate::damage::{Damaged, damaged};
use parlor_store::items::attribute::{Attribute, Attributes, escaped, unescaped};

/// More than any value nests that a room takes, and than the service keeps.
const DEPTH_MAX: usize = 40;

/// A value as attributes, and its spelling if it has one of its own.
pub(crate) fn native(what: &str, json: &str) -> Result<(Attribute, Option<String>), Damaged> {
    let mut reader = Reader { what, text: json, at: 0 };
    let native = reader.value(0)?;
    if reader.at == json.len() { Ok(native) } else { Err(reader.odd()) }
}

/// The JSON text that was given to `native`.
pub(crate) fn text(what: &str, value: &Attribute, spelling: Option<&str>) -> Result<String, Damaged> {
    let mut json = String::new();
    match spelling {
        None => write(what, value, 0, &mut json)?,
        Some(spelling) => {
            let mut reader = Reader { what, text: spelling, at: 0 };
            reader.spell(value, 0, &mut json)?;
            if reader.at != spelling.len() || spelling.is_empty() {
                return Err(reader.odd());
            }
        }
    }
    Ok(json)
}

/// Reads compact JSON, or a spelling of some.
struct Reader<'a> {
    what: &'a str,
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<(Attribute, Option<String>), Damaged> {
        if depth > DEPTH_MAX {
            return Err(damaged(self.what, "it nests too deep"));
        }
        match self.peek() {
            Some(b'[') => self.list(depth),
            Some(b'{') => self.map(depth),
            Some(b'"') => {
                let (written, text) = self.string()?;
                let spelling = (quoted(&text) != written).then(|| written.to_owned());
                Ok((Attribute::Text(text), spelling))
            }
            Some(b't') => self.word("true", Attribute::Bool(true)),
            Some(b'f') => self.word("false", Attribute::Bool(false)),
            Some(b'n') => self.word("null", Attribute::Null),
            Some(b'-' | b'0'..=b'9') => {
                let written = self.number();
                Ok(match plain(written) {
                    Some(plain) => {
                        let spelling = (plain != written).then(|| written.to_owned());
                        (Attribute::Number(plain), spelling)
                    }
                    // No number that the service knows: people may read its digits.
                    None => (Attribute::Text(written.to_owned()), Some(written.to_owned())),
                })
            }
            _ => Err(self.odd()),
        }
    }

    fn list(&mut self, depth: usize) -> Result<(Attribute, Option<String>), Damaged> {
        let (mut list, mut spelling, mut is_plain) = (Vec::new(), String::from("["), true);
        self.at += 1;
        while !self.closes(b']', list.is_empty())? {
            let (item, own) = self.value(depth + 1)?;
            is_plain &= own.is_none();
            if !list.is_empty() {
                spelling.push(',');
            }
            spelling.push_str(own.as_deref().unwrap_or_default());
            list.push(item);
        }
        spelling.push(']');
        Ok((Attribute::List(list), (!is_plain).then_some(spelling)))
    }

    fn map(&mut self, depth: usize) -> Result<(Attribute, Option<String>), Damaged> {
        let (mut map, mut spelling, mut is_plain) = (Attributes::new(), String::from("{"), true);
        self.at += 1;
        while !self.closes(b'}', map.is_empty())? {
            let (written, name) = self.string()?;
            self.expect(b':')?;
            let (value, own) = self.value(depth + 1)?;
            let name = escaped(&name);
            is_plain &= own.is_none() && quoted(unescaped(&name)) == written;
            // Names in their own order need not be told.
            is_plain &= map.last_key_value().is_none_or(|(last, _)| *last < name);
            if !map.is_empty() {
                spelling.push(',');
            }
            spelling.push_str(written);
            spelling.push(':');
            spelling.push_str(own.as_deref().unwrap_or_default());
            if map.insert(name, value).is_some() {
                return Err(damaged(self.what, "a name stands twice in one object"));
            }
        }
        spelling.push('}');
        Ok((Attribute::Map(map), (!is_plain).then_some(spelling)))
    }

    /// Whether the container ends here; otherwise goes past the comma before the next of what it holds.
    fn closes(&mut self, end: u8, is_first: bool) -> Result<bool, Damaged> {
        if self.peek() == Some(end) {
            self.at += 1;
            return Ok(true);
        }
        if !is_first {
            self.expect(b',')?;
        }
        Ok(false)
    }

    fn expect(&mut self, byte: u8) -> Result<(), Damaged> {
        if self.peek() != Some(byte) {
            return Err(self.odd());
        }
        self.at += 1;
        Ok(())
    }

    /// A string as it is written, and what it means.
    fn string(&mut self) -> Result<(&'a str, String), Damaged> {
        let rest = &self.text[self.at..];
        let mut bytes = rest.bytes().enumerate();
        if bytes.next().is_none_or(|(_, first)| first != b'"') {
            return Err(self.odd());
        }
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'"' => {
                    let written = &rest[..=at];
                    self.at += written.len();
                    let meant = serde_json::from_str(written).map_err(|error| damaged(self.what, error))?;
                    return Ok((written, meant));
                }
                b'\\' => drop(bytes.next()),
                _ => {}
            }
        }
        Err(self.odd())
    }

    fn number(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn word(&mut self, word: &str, is: Attribute) -> Result<(Attribute, Option<String>), Damaged> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.odd());
        }
        self.at += word.len();
        Ok((is, None))
    }

    /// Writes the value that is spelt here.
    fn spell(&mut self, value: &Attribute, depth: usize, json: &mut String) -> Result<(), Damaged> {
        match (self.peek(), value) {
            // Nothing is said, so it is written the plain way.
            (None | Some(b',' | b']' | b'}'), _) => write(self.what, value, depth, json),
            (Some(b'['), Attribute::List(list)) => {
                self.at += 1;
                json.push('[');
                for (place, item) in list.iter().enumerate() {
                    if place > 0 {
                        self.expect(b',')?;
                        json.push(',');
                    }
                    self.spell(item, depth + 1, json)?;
                }
                json.push(']');
                self.expect(b']')
            }
            (Some(b'{'), Attribute::Map(map)) => {
                self.at += 1;
                json.push('{');
                let mut left: Vec<&String> = map.keys().collect();
                for place in 0..map.len() {
                    if place > 0 {
                        self.expect(b',')?;
                        json.push(',');
                    }
                    let (written, name) = self.string()?;
                    self.expect(b':')?;
                    let name = escaped(&name);
                    let found = left.binary_search(&&name).map_err(|_| damaged(self.what, "its spelling has other names"))?;
                    left.remove(found);
                    json.push_str(written);
                    json.push(':');
                    self.spell(&map[&name], depth + 1, json)?;
                }
                json.push('}');
                self.expect(b'}')
            }
            (Some(b'"' | b'-' | b'0'..=b'9'), _) => {
                let from = self.at;
                if self.value(depth)?.0 != normal(value) {
                    return Err(damaged(self.what, "its spelling is of another value"));
                }
                json.push_str(&self.text[from..self.at]);
                Ok(())
            }
            _ => Err(self.odd()),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn odd(&self) -> Damaged {
        damaged(self.what, format!("it is not spelt as JSON is, at byte {}", self.at))
    }
}

/// A number as we would have written it.
fn normal(value: &Attribute) -> Attribute {
    match value {
        Attribute::Number(written) => Attribute::Number(plain(written).unwrap_or_else(|| written.clone())),
        other => other.clone(),
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is always JSON")
}

/// The plain way of writing a value.
fn write(what: &str, value: &Attribute, depth: usize, json: &mut String) -> Result<(), Damaged> {
    if depth > DEPTH_MAX {
        return Err(damaged(what, "it nests too deep"));
    }
    match value {
        Attribute::Text(text) => json.push_str(&quoted(text)),
        Attribute::Number(written) => json.push_str(&plain(written).ok_or_else(|| damaged(what, "a number is none"))?),
        Attribute::Bool(is) => json.push_str(if *is { "true" } else { "false" }),
        Attribute::Null => json.push_str("null"),
        Attribute::List(list) => {
            json.push('[');
            for (place, item) in list.iter().enumerate() {
                if place > 0 {
                    json.push(',');
                }
                write(what, item, depth + 1, json)?;
            }
            json.push(']');
        }
        Attribute::Map(map) => {
            json.push('{');
            for (place, (name, value)) in map.iter().enumerate() {
                if place > 0 {
                    json.push(',');
                }
                json.push_str(&quoted(unescaped(name)));
                json.push(':');
                write(what, value, depth + 1, json)?;
            }
            json.push('}');
        }
        Attribute::Bytes(_) => return Err(damaged(what, "bytes are no JSON")),
    }
    Ok(())
}
