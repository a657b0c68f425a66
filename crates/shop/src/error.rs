//! Why the shop refuses.

use parlor_layout::Damaged;
use parlor_rules::Code;
use parlor_rules::shop::cart::LINES_MAX;
use parlor_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no such visit, or it has ended; begin a new one")]
    NoVisit,
    #[error("a cart holds at most {LINES_MAX} different items; remove one first")]
    CartFull,
    #[error("too many changes at once; try again")]
    Contended,
    #[error("the store is not available; try again")]
    Store(#[from] StoreError),
    #[error("something kept cannot be read")]
    Damaged(#[from] Damaged),
}

impl Error {
    pub fn code(&self) -> Code {
        match self {
            Error::NoVisit => Code::Unauthenticated,
            Error::CartFull => Code::TooLarge,
            Error::Contended => Code::Contended,
            Error::Store(_) => Code::Unavailable,
            Error::Damaged(_) => Code::Internal,
        }
    }
}
