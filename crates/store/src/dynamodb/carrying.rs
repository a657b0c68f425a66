//! Rooms and records of the table, taken and put whole.

use super::DynamoDb;
use super::action::Id;
use super::attribute::Attribute;
use super::expression::Expression;
use super::form::HEAD;
use super::head::{Standing, Touched};
use super::link::{Of, Row};
use super::loading::of_the_form;
use super::names::{self, RECORD, RECORD_SK};
use super::records::listed;
use super::staging::{self, Laying};
use crate::carry::{At, CarriedRoom, Carry, Catalogue, Cursor, Loose, Over, Page, Put, Thing, has_ended, promised};
use crate::error::StoreError;
use crate::records::{Applied, Batch};
use crate::rooms::{CARRIER, RoomKey, Wake};
use crate::shapes::Write;
use async_trait::async_trait;
use parlor_rules::position::Position;
use parlor_rules::time::Millis;

/// How often a room is taken or put anew because it moved meanwhile.
const TRIES_MAX: u32 = 8;

#[async_trait]
impl Carry for DynamoDb {
    async fn list(&self, catalogue: &dyn Catalogue, after: Option<Cursor>) -> Result<Page, StoreError> {
        let after = match after {
            None => None,
            Some(Cursor(At::Item { pk, sk })) => Some(Id::new(pk, sk).raw()),
            Some(Cursor(At::Room(_) | At::Record(_) | At::Scan { .. })) => unreachable!("the cursor is another store's"),
        };
        let mut expression = Expression::default();
        let sk = expression.name("sk");
        let (head, record) = (expression.value(Attribute::text(HEAD)), expression.value(Attribute::text(RECORD_SK)));
        let filter = format!("{sk} IN ({head}, {record})");
        let of = Of { filter: Some(&filter), expression, consistent: true, ..Of::default() };
        let found = self.link.page(&of, after.as_ref()).await?;
        let mut page = Page::default();
        for row in found.rows {
            self.note(&mut page, row, catalogue)?;
        }
        let key = |next: &super::convert::Raw, name| next.get(name).and_then(|value| value.as_s().ok()).cloned();
        page.next = found.next.and_then(|next| Some(Cursor(At::Item { pk: key(&next, "pk")?, sk: key(&next, "sk")? })));
        Ok(page)
    }

    async fn take_room(&self, room: &RoomKey) -> Result<Option<CarriedRoom>, StoreError> {
        let pk = self.partition(room)?;
        for tried in 0..TRIES_MAX {
            let Some(picture) = self.picture(room, &pk).await? else { return Ok(None) };
            let (place, deadline, life) = (picture.head.place, picture.head.deadline, picture.head.life.clone());
            let first = Position { seq: 0, ..place.position };
            let rows = self.event_rows(&pk, &life, first.seq, None).await?;
            let mut tail = super::events::entries(&life, first.epoch, &rows)?;
            tail.retain(|entry| entry.place.position <= place.position);
            // What lies before a gap was trimmed in part.
            let gap = tail.windows(2).rposition(|two| two[0].place.position.next() != two[1].place.position);
            let tail = promised(tail.split_off(gap.map_or(0, |gap| gap + 1)));
            if tail.last().is_none_or(|last| last.place != place) {
                self.link.wait(tried).await;
                continue;
            }
            let (head, items) = picture.into_items();
            let records = self.form.records(room, head, items)?;
            return Ok(Some(CarriedRoom { place, deadline, records, tail }));
        }
        Err(StoreError::Busy)
    }

    async fn put_room(&self, room: &RoomKey, carried: CarriedRoom, over: Over) -> Result<Put, StoreError> {
        carried.check()?;
        let pk = self.partition(room)?;
        let CarriedRoom { place, deadline, records, tail } = carried;
        let writes: Vec<Write> = records.into_iter().map(|(key, value)| Write::Put { key, value }).collect();
        let changes = self.changes(room, &pk, None, &writes).await?;
        let mut laying = Laying { head: self.new_head(place, deadline, &changes)?, tail, changes };
        laying.head.touched = [Touched::of(place.position.seq, &laying.changes)].into();
        for tried in 0..TRIES_MAX {
            let now = self.clock.now();
            if has_ended(deadline, now) {
                return Ok(Put::Ended);
            }
            let stands = self.read_head(&pk).await?.and_then(|standing| standing.live(now));
            let under = match stands {
                Some(stands) if stands.place == place && stands.deadline == deadline => return Ok(Put::Same),
                Some(stands) if !over.allows(stands.place) => return Ok(Put::Other),
                Some(stands) => staging::Over::At(stands.place),
                None => staging::Over::Nothing,
            };
            match self.lay_down(&pk, &laying, under).await? {
                Ok(()) => {
                    self.heads.insert(room.spine.clone(), laying.head.into());
                    self.tell_others(room, CARRIER, &Wake::Moved(place));
                    return Ok(Put::Kept);
                }
                Err(Standing::Claimed { .. }) => return Err(StoreError::Busy),
                // It moved between the look and the write.
                Err(Standing::Room(_) | Standing::Closed { .. }) => {
                    self.clear_events(&pk, &laying.head.life);
                    self.link.wait(tried).await;
                }
            }
            // Another life, so that what is cleared away is not what is put.
            laying.head.life = names::life(place.position, self.link.dice.roll());
        }
        Err(StoreError::Busy)
    }

    async fn apply_any_size(&self, batch: Batch) -> Result<Applied, StoreError> {
        self.run_batch(batch).await
    }

    fn now(&self) -> Millis {
        self.clock.now()
    }
}

impl DynamoDb {
    fn note(&self, page: &mut Page, row: Row, catalogue: &dyn Catalogue) -> Result<(), StoreError> {
        let now = self.clock.now();
        let Id { pk, sk } = row.id;
        if let Some(cut) = pk.strip_prefix(RECORD).filter(|_| sk == RECORD_SK) {
            let (key, deadline) = listed(cut, &row.attributes);
            match catalogue.thing(&key) {
                _ if has_ended(deadline, now) => {}
                Some(Thing::Record { tag }) => page.records.push(Loose { tag, key }),
                Some(Thing::Part(_) | Thing::Spine(_)) | None => page.foreign.push(key.to_string()),
            }
            return Ok(());
        }
        if sk != HEAD {
            return Ok(());
        }
        let spine = self.form.spine(&pk, &of_the_form(row.attributes.clone()));
        let is_live = match Standing::read(row.attributes) {
            Ok(standing) => standing.live(now).is_some(),
            // Something else may have items of this name; then it is not ours to judge.
            Err(_) => true,
        };
        match spine.as_ref().and_then(|spine| catalogue.thing(spine)) {
            _ if !is_live => {}
            Some(Thing::Spine(room)) => page.rooms.push(room),
            Some(Thing::Part(_) | Thing::Record { .. }) | None => {
                page.foreign.push(spine.map_or(pk, |spine| spine.to_string()));
            }
        }
        Ok(())
    }
}
