//! The members of an object, as they stand in its text: for who passes values on in another form.

use super::Json;

/// The name as written between its quotes, and the value as written.
pub struct Members<'a> {
    rest: &'a str,
}

impl Json {
    /// Nothing when the value is no object.
    pub fn members(&self) -> Option<Members<'_>> {
        let rest = self.as_str().strip_prefix('{')?.strip_suffix('}')?;
        Some(Members { rest })
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, &'a str);

    /// The text is compact and was checked, so that only strings and nesting need to be minded.
    fn next(&mut self) -> Option<(&'a str, &'a str)> {
        let name = self.rest.strip_prefix('"')?;
        let end = string_end(name.as_bytes())?;
        let value = name[end + 1..].strip_prefix(':')?;
        let length = value_end(value.as_bytes());
        self.rest = value[length..].strip_prefix(',').unwrap_or("");
        Some((&name[..end], &value[..length]))
    }
}

/// Where the closing quote stands.
fn string_end(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

fn value_end(text: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0usize);
    while at < text.len() {
        match text[at] {
            b',' if depth == 0 => return at,
            b'"' => at += 1 + string_end(&text[at + 1..]).unwrap_or(text.len() - at - 1),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(text: &str) -> Option<Vec<(String, String)>> {
        let json = Json::read(text, 1000).unwrap();
        json.members().map(|all| all.map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }

    #[test]
    fn members_are_shown_as_they_stand() {
        let told = |pairs: &[(&str, &str)]| Some(pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect());
        assert_eq!(members(r#"{"x":1,"y":-2.5e3}"#), told(&[("x", "1"), ("y", "-2.5e3")]));
        assert_eq!(
            members(r#"{"a\"b":"c,}\\","d":{"e":[1,{"f":"]"}]},"g":[]}"#),
            told(&[(r#"a\"b"#, r#""c,}\\""#), ("d", r#"{"e":[1,{"f":"]"}]}"#), ("g", "[]")])
        );
        assert_eq!(members("{}"), told(&[]));
        assert_eq!(members("[1]"), None);
    }
}
