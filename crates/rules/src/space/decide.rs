//! What a space allows.

use super::{Command, Event, Refusal, Space};
use crate::room::Act;

pub(super) fn decide(_space: &Space, act: &Act<Command>) -> Result<Vec<Event>, Refusal> {
    match &act.command {
        Command::Delete => Ok(vec![Event::Deleted]),
        Command::Edit(_) | Command::Update(_) => Ok(vec![]),
    }
}
