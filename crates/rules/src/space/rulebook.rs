//! A space's rulebook: each test is a sentence of it, each script a story that shows the sentence to hold.

mod script;

mod limits;
mod lists;
mod maps;
mod parts;
mod rights;
