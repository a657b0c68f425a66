//! An ear at every connection: each frame that leaves the house is held against the history before the weather has it.
//!
//! A view must be, to the byte, what the rules give for that place and that viewer. No card may be in any frame that
//! may not show it, no key in any but the one that hands it over, nothing from a room that one was sent out of.

use crate::history::Verdict;
use crate::trace::Check;
use crate::words::{self, CARD_CHARS, CARD_START};
use crate::world::World;
use bytes::Bytes;
use parlor::words::Json;
use parlor_engine::{Encode, Picture};
use parlor_rules::poker::Poker;
use parlor_rules::{Address, Credential, Here, SecretHash, State, UserId, Viewer};
use parlor_wire::say;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const JSON: Json = Json { patches: false };

pub struct Ear {
    world: Arc<World>,
    name: String,
    number: u64,
    knows: Mutex<Knows>,
}

/// What the client has said on this connection, and so what it is entitled to.
#[derive(Default)]
struct Knows {
    key: Option<String>,
    wants_key: bool,
    creates: usize,
    hosts: BTreeMap<Address, String>,
    /// How often it was let in and not yet sent out.
    inside: BTreeMap<Address, usize>,
    /// Ways in and out that are not answered yet: until then nobody knows whether it is inside.
    moving: BTreeMap<u64, Address>,
    /// The last view of each room, as it came or as patches made it.
    shown: BTreeMap<Address, Value>,
}

impl Ear {
    pub fn new(world: Arc<World>, name: String) -> Ear {
        let number = world.dice.bits();
        Ear { world, name, number, knows: Mutex::default() }
    }

    /// The client asks to be let in, or goes out.
    pub fn moves(&self, id: u64, room: &Address) {
        self.lock().moving.insert(id, room.clone());
        self.is_in(|in_room| in_room != room);
    }

    pub fn hangs_up(&self) {
        self.is_in(|_| false);
    }

    /// In the rooms it was let into, this connection is only in these any more.
    fn is_in(&self, still: impl Fn(&Address) -> bool) {
        self.world.board().connected.retain(|(room, _), ears| {
            if !still(room) {
                ears.remove(&self.number);
            }
            !ears.is_empty()
        });
    }

    pub fn says_hello(&self, key: Option<&str>) {
        let mut knows = self.lock();
        knows.key = key.map(ToOwned::to_owned);
        knows.wants_key = key.is_none();
    }

    pub fn creates(&self) {
        self.lock().creates += 1;
    }

    pub fn shows_host_key(&self, room: &Address, key: &str) {
        self.lock().hosts.insert(room.clone(), key.to_owned());
    }

    /// Checks one frame on its way out.
    pub fn hear(&self, frame: &Bytes) -> Option<Value> {
        let text = String::from_utf8_lossy(frame);
        self.world.trace.note(format_args!("{}<", self.name), &text);
        self.world.count(|tally| tally.frames += 1);
        let Ok(said) = serde_json::from_str::<Value>(&text) else {
            self.world.trace.fail(Check::Broken, format!("{} is sent what is not JSON: {text}", self.name));
            return None;
        };
        self.world.judge(self.check(frame, &text, &said));
        Some(said)
    }

    fn check(&self, frame: &Bytes, text: &str, said: &Value) -> Verdict {
        let mut knows = self.lock();
        self.keys(&mut knows, text, said)?;
        let ok = &said["ok"];
        let view = if said["push"] == "view" { said } else { ok };
        if view["push"] == "view" {
            let looked = said["id"].as_u64().filter(|_| ok["push"] == "view");
            self.view(&knows, &Frame::Bytes(frame), text, view, looked)?;
            if looked.is_none() {
                knows.shown.insert(self.room(view)?, view.clone());
            }
        } else if said["push"] == "patch" {
            self.patch(&mut knows, text, said)?;
        } else {
            self.cards(text, &BTreeSet::new())?;
        }
        if ok["resumed"].is_boolean() || said["push"] == "ended" || said["push"] == "come_back" {
            knows.shown.remove(&self.room(if ok.is_null() { said } else { ok })?);
        }
        let moved = said["id"].as_u64().and_then(|id| knows.moving.remove(&id));
        if ok["resumed"].is_boolean() {
            let room = self.room(ok)?;
            if moved.is_some()
                && !knows.moving.values().any(|other| *other == room)
                && let Some(user) = ok["user_id"].as_str().and_then(|user| user.parse().ok())
            {
                self.world.board().connected.entry((room.clone(), user)).or_default().insert(self.number);
            }
            if self.world.history().at(&room, place(ok)?).is_none() {
                return Err((Check::Lost, format!("{} is let in at a place that {room} was never at", self.name)));
            }
            if ok["user_id"].as_str() != credential(&knows, &room).user_id(&room.id).as_ref().map(|user| user.as_str()) {
                return Err((Check::Secret, format!("{} is taken for somebody else", self.name)));
            }
            *knows.inside.entry(room).or_default() += 1;
        }
        if said["push"].is_string() && said["room"].is_string() {
            self.out_is_out(&mut knows, said)?;
        }
        Ok(())
    }

    fn keys(&self, knows: &mut Knows, text: &str, said: &Value) -> Verdict {
        let leaked = |what: &str| Err((Check::Secret, format!("{} is sent {what}", self.name)));
        let ok = &said["ok"];
        if let Some(key) = ok["user_key"].as_str() {
            if !std::mem::take(&mut knows.wants_key) {
                return leaked("a user key it did not ask for");
            }
            knows.key = Some(key.to_owned());
        }
        if ok["host_key"].is_string() {
            if knows.creates == 0 {
                return leaked("a host key of a room it did not create");
            }
            knows.creates -= 1;
        }
        let keys = text.matches("uk_").count() + text.matches("hk_").count();
        let entitled = usize::from(ok["user_key"].is_string()) + usize::from(ok["host_key"].is_string());
        if keys > entitled || text.contains("sha256:") { leaked("a key that is not its own") } else { Ok(()) }
    }

    /// A patch goes only to whoever has what it changes; what it makes is held to the same as a view.
    fn patch(&self, knows: &mut Knows, text: &str, said: &Value) -> Verdict {
        self.world.count(|tally| tally.patches += 1);
        let room = self.room(said)?;
        let shown = knows.shown.get(&room);
        let Some(mut view) = shown.filter(|shown| shown["at"] == said["base"]).cloned() else {
            let had = shown.map(|shown| &shown["at"]);
            return Err((Check::Order, format!("{} has {room} at {had:?} and is sent {text}", self.name)));
        };
        let Some(table) = words::patched(&view["view"], said) else {
            return Err((Check::Broken, format!("{} is sent what is no patch: {text}", self.name)));
        };
        view["view"] = table;
        for part in ["at", "mark", "expires_at", "me"] {
            if !said[part].is_null() {
                view[part] = said[part].clone();
            }
        }
        self.view(knows, &Frame::Patched(said), text, &view, None)?;
        knows.shown.insert(room, view);
        Ok(())
    }

    fn view(&self, knows: &Knows, frame: &Frame<'_>, text: &str, view: &Value, looked: Option<u64>) -> Verdict {
        self.world.count(|tally| tally.views += 1);
        let room = self.room(view)?;
        let place = place(view)?;
        let history = self.world.history();
        let Some(step) = history.at(&room, place) else {
            return Err((Check::Lost, format!("{} is shown {room} at {}, which is not kept", self.name, place.position)));
        };
        let mut credential = credential(knows, &room);
        let Ok(viewer) = step.kept.state.recognise(&credential) else {
            return Err((Check::Secret, format!("{} is shown {room} with a key that does not open it", self.name)));
        };
        let State::Poker(table) = &step.kept.state else { unreachable!("a table") };
        let own = viewer.user.as_ref().filter(|_| viewer.seated);
        let votes = |of: &dyn Fn(&UserId) -> bool| -> BTreeSet<String> {
            let seats = table.seats.iter().filter(|(user, _)| of(user));
            seats.filter_map(|(_, seat)| seat.vote.as_ref()).map(ToString::to_string).collect()
        };
        let (open, mine) = (votes(&|_| table.open), votes(&|user| own == Some(user)));
        self.parts(table, view, &open, &mine)?;
        if let Frame::Patched(patch) = frame {
            self.parts(table, patch, &open, &mine)?;
        }
        let picture = Picture { place, kept: Arc::new(step.kept.clone()), here: here_in(&view["view"]) };
        let seen_by = |viewer: &Viewer| {
            let shared = JSON.shared(&room, &picture, viewer);
            JSON.view(&shared, &JSON.mine(&step.kept, viewer))
        };
        let expected = match looked {
            None => seen_by(&viewer),
            Some(id) => say::looked(id, &seen_by(&viewer)),
        };
        let is_so = |expected: &Bytes| match frame {
            Frame::Bytes(frame) => *expected == **frame,
            Frame::Patched(_) => serde_json::from_slice::<Value>(expected).is_ok_and(|expected| expected == *view),
        };
        if is_so(&expected) {
            return match own {
                Some(own) if looked.is_none() && !picture.here.holds(own) => {
                    Err((Check::Here, format!("{} listens to {room} and is not here: {text}", self.name)))
                }
                Some(_) | None => Ok(()),
            };
        }
        // Whoever looks may have been on the way in or out, and so without the host key that opens the door.
        credential.host = None;
        if let (Some(id), Ok(viewer)) = (looked, step.kept.state.recognise(&credential))
            && is_so(&say::looked(id, &seen_by(&viewer)))
        {
            return Ok(());
        }
        let expected = String::from_utf8_lossy(&expected).into_owned();
        Err((Check::Picture, format!("{} sees\n  {text}\nand should see\n  {expected}", self.name)))
    }

    /// A shown round's cards are seen in the history and, where all agreed, as a story's estimate; one's own card is
    /// seen in `me`; nowhere else are more cards than lie open now. The present round is no history before it is shown.
    fn parts(&self, table: &Poker, view: &Value, open: &BTreeSet<String>, own: &BTreeSet<String>) -> Verdict {
        if !table.sealed && table.history.find(table.round).is_some() {
            return Err((Check::Secret, format!("round {} is history before its cards were shown", table.round)));
        }
        let shown = table.history.0.iter().flat_map(|round| round.ballots.iter().map(|ballot| ballot.card.to_string()));
        let shown: BTreeSet<String> = shown.collect();
        let mut rest = view.clone();
        // In a patch these two stand beside the view.
        let parts =
            [rest["view"]["history"].take(), rest["view"]["stories"].take(), rest["history"].take(), rest["stories"].take()];
        self.cards(&parts.map(|part| part.to_string()).concat(), &shown)?;
        self.cards(&rest["me"].take().to_string(), own)?;
        self.cards(&rest.to_string(), open)
    }

    /// No card in the text, outside the deck's own list, that is not visible to whoever it is sent to.
    fn cards(&self, text: &str, visible: &BTreeSet<String>) -> Verdict {
        let mut rest = String::with_capacity(text.len());
        let mut parts = text.split(r#""valid_sizes":""#);
        rest.push_str(parts.next().unwrap_or_default());
        for part in parts {
            rest.push_str(part.split_once('"').map_or("", |(_, after)| after));
        }
        let board = self.world.board();
        for (index, _) in rest.match_indices(CARD_START) {
            let Some(card) = rest.get(index..index + CARD_CHARS) else { continue };
            if board.cards.contains(card) && !visible.contains(card) {
                return Err((Check::Secret, format!("{} is shown the card {card}, which is face down: {text}", self.name)));
            }
        }
        Ok(())
    }

    fn out_is_out(&self, knows: &mut Knows, said: &Value) -> Verdict {
        let room = self.room(said)?;
        let inside = knows.inside.entry(room.clone()).or_default();
        if *inside == 0 {
            return Err((Check::Gone, format!("{} is out of {room} and still hears of it: {said}", self.name)));
        }
        if said["push"] == "ended" || said["push"] == "come_back" {
            *inside -= 1;
            self.is_in(|in_room| *in_room != room);
        }
        Ok(())
    }

    fn room(&self, said: &Value) -> Result<Address, (Check, String)> {
        let room = said["room"].as_str().and_then(|room| room.parse().ok());
        room.ok_or_else(|| (Check::Broken, format!("{} is sent a frame without a room: {said}", self.name)))
    }

    fn lock(&self) -> MutexGuard<'_, Knows> {
        self.knows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a view came: as it is, or as a patch of another.
enum Frame<'a> {
    Bytes(&'a Bytes),
    Patched(&'a Value),
}

/// Who a view says is here. That is no part of the history: each node knows its own listeners.
fn here_in(view: &Value) -> Here {
    let users = view["users"].as_array().into_iter().flatten().filter(|user| user["here"] == true);
    users.filter_map(|user| user["user_id"].as_str()?.parse().ok()).collect()
}

fn place(said: &Value) -> Result<parlor_rules::Place, (Check, String)> {
    words::place(said).ok_or_else(|| (Check::Broken, format!("a frame without a place: {said}")))
}

fn credential(knows: &Knows, room: &Address) -> Credential {
    let hash = |key: &String| SecretHash::of(key.as_bytes());
    Credential { user: knows.key.as_ref().map(hash), host: knows.hosts.get(room).map(hash), ..Credential::default() }
}
