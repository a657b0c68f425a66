//! Texts inside a JSON value.

use super::NotJson;
use std::borrow::Cow;

/// Where the text that begins at a quotation mark ends.
pub(super) fn end(bytes: &[u8], start: usize) -> Result<usize, NotJson> {
    let mut at = start + 1;
    loop {
        match bytes.get(at).ok_or(NotJson::Form)? {
            b'"' => return Ok(at + 1),
            b'\\' => at = escaped(bytes, at)?,
            0..0x20 => return Err(NotJson::Form),
            _ => at += 1,
        }
    }
}

/// Where the escape that begins at a backslash ends; a pair of surrogates is one.
fn escaped(bytes: &[u8], at: usize) -> Result<usize, NotJson> {
    match bytes.get(at + 1).ok_or(NotJson::Form)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(at + 2),
        b'u' => match unit(bytes, at)? {
            0xd800..0xdc00 if bytes.get(at + 6..at + 8) != Some(b"\\u") => Err(NotJson::Surrogate),
            0xd800..0xdc00 => match unit(bytes, at + 6)? {
                0xdc00..0xe000 => Ok(at + 12),
                _ => Err(NotJson::Surrogate),
            },
            0xdc00..0xe000 => Err(NotJson::Surrogate),
            _ => Ok(at + 6),
        },
        _ => Err(NotJson::Form),
    }
}

/// The four hexadecimal digits after `\u`.
fn unit(bytes: &[u8], at: usize) -> Result<u16, NotJson> {
    let digits = bytes.get(at + 2..at + 6).ok_or(NotJson::Form)?;
    digits.iter().try_fold(0, |unit, byte| {
        let digit = char::from(*byte).to_digit(16).ok_or(NotJson::Form)?;
        Ok(unit * 16 + digit as u16)
    })
}

/// What a text between its quotation marks, already found sound, means: two keys are the same if they mean the same.
pub(super) fn meant(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut meant = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find('\\') {
        meant.push_str(&rest[..place]);
        let end = escaped(rest.as_bytes(), place).unwrap_or(rest.len());
        meant.push(match rest.as_bytes()[place + 1] {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let units = (place..end).step_by(6).filter_map(|at| unit(rest.as_bytes(), at).ok());
                char::decode_utf16(units).find_map(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            plain => char::from(plain),
        });
        rest = &rest[end..];
    }
    meant.push_str(rest);
    Cow::Owned(meant)
}
