//! A JSON value that is passed on and not interpreted: checked once, then kept as compact text.
//!
//! What one store could not keep is refused for all: how deep it nests, how long and how large its numbers are, text
//! that is not Unicode, a key that stands twice in one object.

mod members;
mod number;
mod scan;
#[cfg(test)]
mod tests;
mod text;

pub use members::Members;
use std::fmt;
use std::sync::Arc;

/// How deep a value may nest.
pub const DEPTH_MAX: usize = 30;
/// The digits of a number that mean something.
pub const DIGITS_MAX: usize = 38;
pub const VALUE_BYTES_MAX: usize = 32 * 1024;

#[derive(Clone, PartialEq, Eq)]
pub struct Json(Arc<str>);

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NotJson {
    #[error("this is not a JSON value")]
    Form,
    #[error("a value may nest {DEPTH_MAX} deep at most")]
    TooDeep,
    #[error("a number has at most {DIGITS_MAX} digits and lies between 1e-130 and 1e126")]
    Number,
    #[error("a text contains half of a surrogate pair, which is no character")]
    Surrogate,
    #[error("an object has the same key twice")]
    Twice,
    #[error("a value has at most {VALUE_BYTES_MAX} bytes")]
    TooLarge,
}

impl Json {
    /// Reads a value of at most so many bytes, which are counted without the white space between its parts.
    pub fn read(text: &str, bytes_max: usize) -> Result<Json, NotJson> {
        scan::compact(text, bytes_max).map(|compact| Json(compact.into()))
    }

    /// What `read` has accepted before and was kept since: it is not looked at again.
    pub fn kept(text: &str) -> Json {
        Json(text.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
