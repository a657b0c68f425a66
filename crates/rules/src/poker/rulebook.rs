//! Planning poker's rulebook: each test is a sentence of it, each script a game that shows the sentence to hold.

mod script;

mod cards;
mod observers;
mod rights;
mod rounds;
mod seats;
mod stories;
mod time;
