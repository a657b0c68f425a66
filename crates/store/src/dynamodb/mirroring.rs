//! What people show of themselves, as an item for whoever looks into the table: beside the room, never part of it.

use super::DynamoDb;
use super::action::{Action, Id};
use super::attribute::{Attribute, attributes_bytes};
use super::head::seconds_after;
use super::link::Written;
use crate::error::StoreError;
use crate::rooms::RoomKey;
use crate::shapes::Field;
use bytes::Bytes;
use parlor_rules::time::Span;

/// At most once in this, whichever node does it: a cursor moves sixty times as often, and each write is paid for.
pub(super) const MIRROR_EVERY: Span = Span(1000);

/// What nobody has changed for so long is deleted by the service some time later: nobody shows anything for longer.
const KEPT_FOR: Span = Span::minutes(60);

/// What the service takes as one item, with some room for what it counts besides.
const ITEM_BYTES_MAX: usize = 390 * 1024;

impl DynamoDb {
    pub(super) async fn put_shown(&self, room: &RoomKey, presence: &str, shown: &[(Field, Bytes)]) -> Result<(), StoreError> {
        // What is not served here, or was closed just now, shows nothing.
        let Some(life) = self.heads.get(&room.spine).map(|head| head.life.clone()) else { return Ok(()) };
        let Some(mut item) = self.form.shown(room, presence, shown) else { return Ok(()) };
        let bytes = attributes_bytes(&item.attributes);
        if bytes > ITEM_BYTES_MAX {
            return Err(StoreError::TooLarge { bytes, writes: 1 });
        }
        let (id, now) = (Id::new(self.partition(room)?, item.sk), self.clock.now());
        let action = if shown.is_empty() {
            Action::delete(id)
                .when(|expression| format!("{} = {}", expression.name("life"), expression.value(Attribute::text(&*life))))
        } else {
            // So that it is cleared away with its room.
            item.attributes.insert("life".into(), Attribute::text(life));
            item.attributes.insert("updatedOn".into(), Attribute::number(now.0));
            item.attributes.insert("ttl".into(), Attribute::number(seconds_after(now + KEPT_FOR)));
            Action::put(id, item.attributes).when(|expression| {
                let (name, before) = (expression.name("updatedOn"), now.0.saturating_sub(MIRROR_EVERY.0));
                format!("attribute_not_exists({name}) OR {name} <= {}", expression.value(Attribute::number(before)))
            })
        };
        match self.link.alone(action).await? {
            Written::Done => Ok(()),
            // There is none, or it is another room's by now.
            Written::Refused { .. } if shown.is_empty() => Ok(()),
            Written::Refused { .. } => Err(StoreError::Busy),
        }
    }
}
