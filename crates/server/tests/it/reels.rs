//! The party game from outside: document 002 message by message, its hazards, an evening that is hurt, and a crowd.

mod crowd;
mod document;
mod evening;
mod game;
mod guests;
mod hurt;
mod lifetimes;
mod parity;
mod redis;
mod wishes;
