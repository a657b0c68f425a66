//! Who is at a room through which node: an item for each node, with the moment until which its word holds.

use super::DynamoDb;
use super::action::Id;
use super::attribute::{Attribute, Attributes};
use super::expression::Expression;
use super::form::HEAD;
use super::head::{Standing, seconds_after};
use super::link::Of;
use super::messenger::Member;
use super::names::MEMBER;
use crate::error::StoreError;
use crate::rooms::{Announced, NodeId, RoomKey, Wake};
use crate::shapes::Field;
use parlor_rules::time::{Millis, Span};

/// How long after its lease an announcement is deleted by the service at the earliest.
const DELETED_AFTER: Span = Span::minutes(10);

/// What one node said.
struct Word {
    node: NodeId,
    until: Millis,
    here: Vec<Field>,
    address: Option<String>,
}

impl Word {
    fn attributes(&self) -> Attributes {
        let here = self.here.iter().map(|who| Attribute::text(&**who)).collect();
        let mut attributes = Attributes::from([
            ("here".to_owned(), Attribute::List(here)),
            ("until".to_owned(), Attribute::number(self.until.0)),
            ("ttl".to_owned(), Attribute::number(seconds_after(self.until + DELETED_AFTER))),
        ]);
        attributes.extend(self.address.iter().map(|address| ("address".to_owned(), Attribute::text(&**address))));
        attributes
    }

    /// Nothing for what no node of ours has said: connections are noted in the same way.
    fn read(sk: &str, attributes: &Attributes) -> Option<Word> {
        let node = NodeId(u64::from_str_radix(sk.strip_prefix(MEMBER)?.strip_prefix(NODE)?, 16).ok()?);
        let Attribute::List(here) = attributes.get("here")? else { return None };
        let here = here.iter().map(|who| who.as_text().map(Field::from)).collect::<Option<Vec<_>>>()?;
        let address = attributes.get("address").and_then(Attribute::as_text).map(str::to_owned);
        Some(Word { node, until: Millis(attributes.get("until")?.as_u64()?), here, address })
    }
}

const NODE: &str = "node-";
/// Behind all of them.
const MEMBERS_END: &str = "MEMBER$";

fn sk(node: NodeId) -> String {
    format!("{MEMBER}{NODE}{:016x}", node.0)
}

impl DynamoDb {
    /// One write and one query of what lies between the members and the head.
    pub(super) async fn give_word(
        &self,
        room: &RoomKey,
        pk: &str,
        node: NodeId,
        mut here: Vec<Field>,
    ) -> Result<Announced, StoreError> {
        here.sort_unstable();
        let now = self.clock.now();
        let word = Word { node, until: now + self.link.options.lease, here, address: self.link.options.address.clone() };
        // Who can be reached stands there even if nobody is with them: people may look on.
        let stands = !word.here.is_empty() || word.address.is_some();
        let given = stands.then(|| word.attributes());
        let standing = (room.spine.clone(), node);
        let was = if stands || self.standing.get(&standing).is_some() {
            self.link.exchange(&Id::new(pk, sk(node)), given).await?
        } else {
            None
        };
        if stands {
            self.standing.insert(standing, ());
        } else {
            self.standing.remove(&standing);
        }
        let was = was.and_then(|was| Word::read(&sk(node), &was)).filter(|was| was.until > now);
        // Somebody new is told of even if nobody is with them yet: the others are to write to them from now on.
        let changed = was.as_ref().is_none_or(|was| was.here != word.here) && (was.is_some() || stands);
        let (words, place) = self.words(room, pk, now).await?;
        let others: Vec<&Word> = words.iter().filter(|other| other.node != node).collect();
        let announced = Announced {
            others: others.iter().flat_map(|other| other.here.iter().cloned()).collect(),
            holds_for: others.iter().filter(|other| !other.here.is_empty()).map(|other| other.until.since(now)).min(),
            place,
        };
        let reached = others.iter().filter_map(|other| Some(Member { node: other.node, address: other.address.clone()? }));
        let reached: Vec<Member> = reached.collect();
        let known = self.members.get(&room.spine).unwrap_or_default();
        let fresh: Vec<Member> = reached.iter().filter(|member| !known.contains(member)).cloned().collect();
        if reached.is_empty() {
            self.members.remove(&room.spine);
        } else {
            self.members.insert(room.spine.clone(), reached.into());
        }
        // What was committed here before they were known was told to nobody of them.
        if let (Some(messenger), Some(place), false) = (self.messenger.get(), place, fresh.is_empty()) {
            messenger.push(&fresh, room, node, &Wake::Moved(place));
        }
        if changed {
            self.tell_others(room, node, &Wake::Here);
        }
        Ok(announced)
    }

    /// Takes the node's word back, if there is one.
    pub(super) async fn take_back(&self, room: &RoomKey, pk: &str, node: NodeId) -> Result<(), StoreError> {
        if self.standing.remove(&(room.spine.clone(), node)).is_none() {
            return Ok(());
        }
        self.link.exchange(&Id::new(pk, sk(node)), None).await?;
        self.tell_others(room, node, &Wake::Here);
        Ok(())
    }

    async fn words(
        &self,
        room: &RoomKey,
        pk: &str,
        now: Millis,
    ) -> Result<(Vec<Word>, Option<parlor_rules::position::Place>), StoreError> {
        let mut expression = Expression::default();
        let (pk_name, sk_name) = (expression.name("pk"), expression.name("sk"));
        let from = expression.value(Attribute::text(MEMBER));
        // Up to the head, all in one; but where people show themselves that lies between, and may be more than all else.
        let is_between = self.form.shown(room, "", &[]).is_some();
        let to = expression.value(if is_between { Attribute::text(MEMBERS_END) } else { Attribute::text(HEAD) });
        let keys = format!("{pk_name} = {} AND {sk_name} BETWEEN {from} AND {to}", expression.value(Attribute::text(pk)));
        let rows = self.all_pages(&Of { keys: Some(&keys), expression, consistent: true, ..Of::default() }).await?;
        let (mut words, mut place) = (Vec::new(), None);
        if is_between {
            place = self.read_head(pk).await?.and_then(|standing| standing.live(now)).map(|head| head.place);
        }
        for row in rows {
            if row.id.sk == HEAD {
                place = Standing::read(row.attributes)?.live(now).map(|head| head.place);
            } else {
                words.extend(Word::read(&row.id.sk, &row.attributes).filter(|word| word.until > now));
            }
        }
        Ok((words, place))
    }

    /// Tells whoever watches in this process, and the nodes that announced somebody.
    pub(super) fn tell_others(&self, room: &RoomKey, by: NodeId, wake: &Wake) {
        self.watchers.tell(&room.spine, by, wake);
        if let (Some(messenger), Some(members)) = (self.messenger.get(), self.members.get(&room.spine)) {
            messenger.push(&members, room, by, wake);
        }
    }
}
