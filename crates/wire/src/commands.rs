//! The list of commands, once: every door, the API description and the parity tests are made from it.

use crate::ask::Fault;
use crate::{poker, reels, space};
use parlor_rules::space::Showing;
use parlor_rules::{Code, Command, Kind};

/// One command as a door's documentation shows it.
#[derive(Clone, Copy)]
pub struct Verb {
    pub name: &'static str,
    pub help: &'static str,
    /// A body that works, as JSON, with every word the command takes.
    pub example: &'static str,
    /// Words of the example that may be left out.
    pub optional: &'static [&'static str],
    /// Words of the example that may be null.
    pub nullable: &'static [&'static str],
}

pub fn verbs(kind: Kind) -> &'static [Verb] {
    match kind {
        Kind::Poker => poker::VERBS,
        Kind::Space => space::VERBS,
        Kind::Reels => reels::VERBS,
    }
}

/// The command that ends a room of this kind.
pub fn ending(kind: Kind) -> &'static str {
    match kind {
        Kind::Poker | Kind::Space => "delete",
        Kind::Reels => "ROOM_CLOSED",
    }
}

/// What people show of themselves and is not kept, one by one.
pub fn showings(kind: Kind) -> &'static [Verb] {
    match kind {
        Kind::Poker | Kind::Reels => &[],
        Kind::Space => space::SHOWINGS,
    }
}

/// What somebody shows; nothing when the verb is no such word.
pub fn showing(kind: Kind, verb: &str, with: Option<&str>) -> Option<Result<Showing, Fault>> {
    match kind {
        Kind::Poker | Kind::Reels => None,
        Kind::Space => space::showing::read(verb, with),
    }
}

/// What is not in the list is not a command: so nothing can be done that no door describes.
pub fn read(kind: Kind, verb: &str, with: Option<&str>) -> Result<Command, Fault> {
    if !verbs(kind).iter().any(|known| known.name == verb) {
        return Err(unknown(kind, verb));
    }
    match kind {
        Kind::Poker => poker::read(verb, with).map(Command::Poker),
        Kind::Space => space::read(verb, with).map(Command::Space),
        Kind::Reels => reels::read(verb, with).map(Command::Reels).map_err(reels::reasoned),
    }
}

pub(crate) fn unknown(kind: Kind, verb: &str) -> Fault {
    let known: Vec<_> = verbs(kind).iter().chain(showings(kind)).map(|verb| verb.name).collect();
    // Cut after it is made visible, which can make each letter ten.
    let verb: String = verb.escape_debug().take(40).collect();
    Fault::new(Code::Unsupported, format!("a {} room does not know \"{verb}\"; it knows {}", kind.name(), known.join(", ")))
}
