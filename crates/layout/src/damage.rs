//! What is said when records cannot be the rest of any room.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} cannot be read back: {why}")]
pub struct Damaged {
    pub what: String,
    pub why: String,
}

pub(crate) fn damaged(what: &str, why: impl ToString) -> Damaged {
    Damaged { what: what.to_owned(), why: why.to_string() }
}
