//! THE EDGE: a shared HTTP cache (RFC 9111) in front of any origin, as a tower layer and as a proxy.
//!
//! It knows nothing of this house: what it must know of visits and popularity it asks through `Storefront`.
//! A request walks `layer` → `edge` (a hit ends here) → `flow` → `fetch` → `origin`, and its answer `rules` → `page` → `store`.

pub mod rules;
pub mod clock;
pub mod key;
pub mod storefront;
pub mod below;
pub mod body;
pub mod origin;
pub mod slots;
pub mod store;
pub mod purges;
pub mod page;
mod ask;
mod answer;
mod counts;
mod edge;
mod errand;
mod fetch;
mod flights;
mod flow;
mod gather;
mod gzip;
mod invalidate;
mod layer;
mod outgoing;
mod page_text;
mod proxy;
mod refresh;
mod second;
mod status;
mod why;

pub use body::Body;
pub use counts::Counts;
pub use edge::{Edge, How, Options, Purge};
pub use key::KeyRules;
pub use layer::{Answering, EdgeLayer, EdgeService};
pub use origin::Origin;
pub use outgoing::Peer;
pub use proxy::{Remote, proxy};
pub use rules::storable::Rule;
pub use rules::visit::{PARLOR_VISIT, VISIT_COOKIES};
pub use storefront::{NoShop, Slot, Storefront, Visitor};
pub use why::{Decision, KeyParts, Why};
