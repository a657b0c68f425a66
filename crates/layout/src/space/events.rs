//! A space's events at rest, inside a commit.

use crate::damage::Damaged;
use parlor_rules::space::Event;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    SpaceDeleted {},
}

pub(crate) fn rest(_event: &Event) -> Form {
    Form::SpaceDeleted {}
}

pub(crate) fn wake(form: Form) -> Result<Event, Damaged> {
    match form {
        Form::SpaceDeleted {} => Ok(Event::Deleted),
    }
}
