//! What a store that keeps items asks of whoever knows how records rest in them. No library is needed for that, so that the
//! crate which makes the items stays light.

pub mod attribute;
pub mod form;

pub use attribute::{Attribute, Attributes};
pub use form::{Before, Change, Form, Item, Laid};
