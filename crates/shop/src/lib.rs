//! THE SHOP: visits, what they viewed, what is popular, and carts (document 004), over the records of any store.
//!
//! Logins, carts and ends of visits are kept before they are answered, each by a batch on the condition that what was read
//! still holds. Uses and views are noted in memory first and kept within `NOTED_WITHIN`: that is what a crash may lose.
//! Nothing here is a room: no stream, no task a visit, no lock that could expire.

mod abandoned;
mod carts;
mod cleaning;
mod error;
#[cfg(feature = "axum")]
mod extract;
mod folding;
mod guestbook;
mod holding;
mod login;
mod popular;
mod shop;
mod terms;
mod visits;

pub use abandoned::AbandonedCart;
pub use carts::{CartSeen, Changed};
pub use error::Error;
#[cfg(feature = "axum")]
pub use extract::{NotVisited, Visited};
pub use login::LoggedIn;
pub use popular::Popular;
pub use shop::{Shop, Totals};
pub use terms::Terms;
