//! The shop (document 004): visits, what they looked at, what is popular, and carts.
//!
//! No rooms: nobody watches another's cart, and a visit has no history worth keeping. What may happen is said here all the
//! same, without a clock or a store, so that every store and every node says it alike.

pub mod cart;
pub mod names;
pub mod popular;
pub mod visit;

pub use cart::{Cart, Change, Merge, Quantity};
pub use names::{Item, Shopper};
pub use visit::{Class, Lifetimes, Visit};
