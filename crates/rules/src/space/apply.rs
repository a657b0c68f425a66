//! How events change a space.

use super::{Event, Space};
use crate::room::When;

pub(super) fn apply(_space: &mut Space, _when: When, _event: &Event) {}
