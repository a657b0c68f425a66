//! Spaces measured: map writes and fan-out beside peers, large ones beside small ones, and a crowd in one.

pub mod crowd;
pub mod fanout;
pub mod hocuspocus;
pub mod join;
pub mod large;
pub mod liveblocks;
pub mod parlor;
pub mod rival;
pub mod socketio;
pub mod writes;
