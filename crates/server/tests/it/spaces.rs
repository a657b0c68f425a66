//! Spaces from outside: what everyone has after everything they heard is what the server has.

mod broken_lines;
mod copy;
mod document;
mod large;
mod mirrored;
mod nodes;
mod parts;
mod people;
mod rights;
