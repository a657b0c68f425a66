//! The party game's rulebook: each test is a sentence of it, each script an evening that shows the sentence to hold.

mod script;

mod claims;
mod faces;
mod leaving;
mod lobby;
mod matrix;
mod once;
mod rounds;
mod scoring;
mod setup;
mod time;
mod voting;
