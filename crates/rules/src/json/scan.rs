//! One pass over a text: is it one JSON value (RFC 8259) within the limits, and how is it written without white space?
//!
//! There is no recursion, so no text can exhaust the stack; and nothing is built but the text itself.

use super::{DEPTH_MAX, NotJson, number, text};
use std::borrow::Cow;

/// The value without the white space around and between its parts; everything else stays as it stands.
pub(super) fn compact(text: &str, bytes_max: usize) -> Result<Cow<'_, str>, NotJson> {
    let mut scan = Scan { text, at: 0, dropped: 0, from: 0, written: String::new(), bytes_max, open: vec![], keys: vec![] };
    scan.value()?;
    Ok(scan.written())
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// Bytes of white space so far.
    dropped: usize,
    /// From where on the text is not written yet.
    from: usize,
    written: String,
    bytes_max: usize,
    /// The containers around this place, the innermost last.
    open: Vec<Container>,
    /// The keys of all open objects, one after the other.
    keys: Vec<Cow<'a, str>>,
}

#[derive(Clone, Copy)]
enum Container {
    Array,
    /// Where its keys begin.
    Object(usize),
}

impl<'a> Scan<'a> {
    /// One whole value and nothing after it.
    fn value(&mut self) -> Result<(), NotJson> {
        loop {
            self.space()?;
            // A value begins here.
            let is_whole = match self.peek().ok_or(NotJson::Form)? {
                b'[' => {
                    self.enter(Container::Array)?;
                    self.close_if(b']')?
                }
                b'{' => {
                    self.enter(Container::Object(self.keys.len()))?;
                    let is_empty = self.close_if(b'}')?;
                    if !is_empty {
                        self.key()?;
                    }
                    is_empty
                }
                b'"' => {
                    self.at = text::end(self.text.as_bytes(), self.at)?;
                    true
                }
                b'-' | b'0'..=b'9' => {
                    self.at = number::end(self.text.as_bytes(), self.at)?;
                    true
                }
                b't' => self.word("true")?,
                b'f' => self.word("false")?,
                b'n' => self.word("null")?,
                _ => return Err(NotJson::Form),
            };
            if is_whole && self.follows()? {
                return Ok(());
            }
        }
    }

    /// After a value: closes what ends here and goes to the next value, or says that there is none.
    fn follows(&mut self) -> Result<bool, NotJson> {
        loop {
            self.space()?;
            let Some(container) = self.open.last() else {
                return if self.peek().is_none() { Ok(true) } else { Err(NotJson::Form) };
            };
            match (container, self.peek().ok_or(NotJson::Form)?) {
                (Container::Array, b',') => {
                    self.at += 1;
                    return Ok(false);
                }
                (Container::Object(_), b',') => {
                    self.at += 1;
                    self.space()?;
                    self.key()?;
                    return Ok(false);
                }
                (Container::Array, b']') | (Container::Object(_), b'}') => self.leave()?,
                (Container::Array | Container::Object(_), _) => return Err(NotJson::Form),
            }
        }
    }

    fn enter(&mut self, container: Container) -> Result<(), NotJson> {
        if self.open.len() == DEPTH_MAX {
            return Err(NotJson::TooDeep);
        }
        self.open.push(container);
        self.at += 1;
        self.space()
    }

    fn leave(&mut self) -> Result<(), NotJson> {
        self.at += 1;
        if let Some(Container::Object(first)) = self.open.pop() {
            self.keys[first..].sort_unstable();
            if self.keys[first..].windows(2).any(|two| two[0] == two[1]) {
                return Err(NotJson::Twice);
            }
            self.keys.truncate(first);
        }
        Ok(())
    }

    fn close_if(&mut self, end: u8) -> Result<bool, NotJson> {
        let closes = self.peek() == Some(end);
        if closes {
            self.leave()?;
        }
        Ok(closes)
    }

    /// A key and its colon.
    fn key(&mut self) -> Result<(), NotJson> {
        if self.peek() != Some(b'"') {
            return Err(NotJson::Form);
        }
        let end = text::end(self.text.as_bytes(), self.at)?;
        self.keys.push(text::meant(&self.text[self.at + 1..end - 1]));
        self.at = end;
        self.space()?;
        if self.peek() != Some(b':') {
            return Err(NotJson::Form);
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<bool, NotJson> {
        if !self.text[self.at..].starts_with(word) {
            return Err(NotJson::Form);
        }
        self.at += word.len();
        Ok(true)
    }

    /// Leaves white space out. Every part of a value is followed by a call of this, so that a long one ends early.
    fn space(&mut self) -> Result<(), NotJson> {
        let rest = &self.text.as_bytes()[self.at..];
        let spaces = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
        if self.at - self.dropped > self.bytes_max {
            return Err(NotJson::TooLarge);
        }
        if spaces > 0 {
            self.written.push_str(&self.text[self.from..self.at]);
            self.at += spaces;
            self.dropped += spaces;
            self.from = self.at;
        }
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn written(mut self) -> Cow<'a, str> {
        if self.dropped == 0 {
            return Cow::Borrowed(self.text);
        }
        self.written.push_str(&self.text[self.from..]);
        Cow::Owned(self.written)
    }
}
