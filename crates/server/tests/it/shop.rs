//! The shop as a real process: visits and carts by REST, live in other tabs and at other nodes, after kills.

mod carts;
mod doors;
mod edge;
mod hurt;
mod origin;
mod rows;
mod shopper;
mod told;
mod visiting;
