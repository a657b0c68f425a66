//! Several servers on one Redis, or one table: real `parlor serve` processes, real servers behind them, and what can go wrong between.
//!
//! Everything is looked at twice: as people see it, and in the store itself with the commands a reader would type.

mod game;
mod guest;
mod node;
mod shelf;

mod document;
mod expiry;
mod failover;
mod forgetting;
mod hot_room;
mod killed;
mod losses;
mod scattered;
mod storm;
mod table;
