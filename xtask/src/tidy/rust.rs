//! Just enough of Rust to tell words from comments and strings, and tests from the rest.

use super::File;

pub(super) struct Source<'a> {
    pub(super) path: &'a str,
    pub(super) tokens: Vec<Token<'a>>,
    /// Paths without `.rs` of the modules that this file declares for tests only.
    test_modules: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) line: usize,
    pub(super) in_test: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Kind {
    Word,
    /// What stands between the quotes of a string.
    Quoted,
    Mark,
}

impl<'a> Source<'a> {
    pub(super) fn read(file: &'a File) -> Source<'a> {
        let mut source = Source { path: &file.path, tokens: tokens(&file.text), test_modules: Vec::new() };
        source.find_tests();
        source
    }

    pub(super) fn is_test(&self, test_modules: &[String]) -> bool {
        let stem = self.path.trim_end_matches(".rs");
        let below =
            |module: &String| stem == module || stem.strip_prefix(module.as_str()).is_some_and(|rest| rest.starts_with('/'));
        ["/tests/", "/examples/", "/benches/"].iter().any(|folder| self.path.contains(folder)) || test_modules.iter().any(below)
    }

    /// `std::fs`, `use std::{fs, net::Ipv4Addr}`: what stands right below `root`, wherever it is mentioned.
    pub(super) fn below(&self, root: &str) -> Vec<Token<'a>> {
        let mut found = Vec::new();
        for (index, token) in self.tokens.iter().enumerate() {
            if !(token.is(root) && self.reads(index + 1, &[":", ":"])) {
                continue;
            }
            match self.tokens.get(index + 3) {
                Some(group) if group.is("{") => {
                    let (mut depth, mut first) = (0, true);
                    for token in &self.tokens[index + 3..] {
                        match token.text {
                            "{" => depth += 1,
                            "}" => depth -= 1,
                            "," if depth == 1 => first = true,
                            _ if depth == 1 && first && token.kind == Kind::Word => {
                                found.push(*token);
                                first = false;
                            }
                            _ => {}
                        }
                        if depth == 0 {
                            break;
                        }
                    }
                }
                Some(word) if word.kind == Kind::Word => found.push(*word),
                _ => {}
            }
        }
        found
    }

    /// Whether these tokens stand at this place.
    pub(super) fn reads(&self, at: usize, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(offset, word)| self.tokens.get(at + offset).is_some_and(|token| token.is(word)))
    }

    fn find_tests(&mut self) {
        for at in 0..self.tokens.len() {
            if self.reads(at, &["#", "!", "[", "cfg", "(", "test", ")", "]"]) {
                self.tokens.iter_mut().for_each(|token| token.in_test = true);
            }
            if !self.reads(at, &["#", "[", "cfg", "(", "test", ")", "]"]) {
                continue;
            }
            let (mut end, mut depth) = (at + 7, 0);
            while let Some(token) = self.tokens.get(end) {
                match token.text {
                    _ if token.kind == Kind::Quoted => {}
                    "{" => depth += 1,
                    "}" if depth == 1 => break,
                    "}" => depth -= 1,
                    ";" if depth == 0 => break,
                    _ => {}
                }
                end += 1;
            }
            let end = end.min(self.tokens.len());
            for index in at..end {
                self.tokens[index].in_test = true;
                if self.tokens[index].is("mod") && self.reads(index + 2, &[";"]) && index + 2 == end {
                    self.test_modules.push(child(self.path, self.tokens[index + 1].text));
                }
            }
        }
    }
}

pub(super) fn test_modules(sources: &[Source<'_>]) -> Vec<String> {
    sources.iter().flat_map(|source| source.test_modules.clone()).collect()
}

impl Token<'_> {
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Quoted && self.text == text
    }
}

/// The path, without `.rs`, of a module declared in a file.
fn child(path: &str, module: &str) -> String {
    let stem = path.trim_end_matches(".rs");
    let folder = stem.strip_suffix("/lib").or_else(|| stem.strip_suffix("/main")).unwrap_or(stem);
    format!("{folder}/{module}")
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(first) = rest.chars().next() {
        let (length, token) = next(rest, first);
        if let Some((kind, within)) = token {
            tokens.push(Token { kind, text: &rest[within.0..within.1], line, in_test: false });
        }
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

type Part = Option<(Kind, (usize, usize))>;

/// How long the next piece is, and the token in it, if it is one.
fn next(rest: &str, first: char) -> (usize, Part) {
    if rest.starts_with("//") {
        return (rest.find('\n').unwrap_or(rest.len()), None);
    }
    if rest.starts_with("/*") {
        return (block_comment(rest), None);
    }
    if let Some(found) = quoted(rest) {
        return found;
    }
    if first == '\'' {
        return (character(rest), None);
    }
    if first.is_alphanumeric() || first == '_' {
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        return (length, Some((Kind::Word, (0, length))));
    }
    let length = first.len_utf8();
    (length, (!first.is_whitespace()).then_some((Kind::Mark, (0, length))))
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let here = &rest.as_bytes()[at..];
        if here.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if here.starts_with(b"*/") {
            depth -= 1;
            at += 2;
        } else {
            at += 1;
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// `"…"`, `b"…"`, `r#"…"#` and their kin.
fn quoted(rest: &str) -> Option<(usize, Part)> {
    let prefix = rest.find('"').filter(|quote| *quote <= 12)?;
    let before = &rest[..prefix];
    let letters = before.trim_end_matches('#');
    let hashes = before.len() - letters.len();
    let raw = matches!(letters, "r" | "br" | "cr");
    if !(raw || (hashes == 0 && matches!(letters, "" | "b" | "c"))) {
        return None;
    }
    let body = &rest[prefix + 1..];
    let end = if raw { body.find(&format!("\"{}", "#".repeat(hashes))).unwrap_or(body.len()) } else { closing(body) };
    let stop = prefix + 1 + end;
    Some(((stop + 1 + hashes).min(rest.len()), Some((Kind::Quoted, (prefix + 1, stop)))))
}

fn closing(body: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in body.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at,
            _ => {}
        }
    }
    body.len()
}

/// A character's length, or 1 for the quote of a lifetime.
fn character(rest: &str) -> usize {
    let body = &rest[1..];
    if body.starts_with('\\') {
        return body.get(2..).and_then(|tail| tail.find('\'')).map_or(1, |end| end + 4);
    }
    let letter = body.chars().next().map_or(0, char::len_utf8);
    if body[letter..].starts_with('\'') { letter + 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> String {
        let said = |token: &Token<'_>| if token.kind == Kind::Quoted { format!("<{}>", token.text) } else { token.text.into() };
        tokens(text).iter().map(said).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_are_not_words_and_strings_are_quoted() {
        assert_eq!(words("a // b\nc /* d /* e */ f */ g"), "a c g");
        assert_eq!(
            words(r##"f("x \" y", r#"a "b" c"#, b"z", '"', 'q', '\'', '\u{41}') "##),
            r##"f ( <x \" y> , <a "b" c> , <z> , , , , )"##
        );
        assert_eq!(words("fn f<'a>(x: &'a str)"), "fn f < a > ( x : & a str )");
    }

    #[test]
    fn lines_are_counted_through_everything() {
        let found = tokens("a\n/* \n */ \"x\ny\" b");
        assert_eq!(found.iter().map(|token| token.line).collect::<Vec<_>>(), [1, 3, 4]);
    }
}
