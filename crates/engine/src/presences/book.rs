//! The book of people and their values: who has which number, what they show, and whose turn it is to be told of.

use super::{News, Shown};
use parlor_rules::space::limits::PRESENCES_PER_PERSON_MAX;
use parlor_rules::space::{Frame, PartName};
use parlor_rules::{Here, Json, UserId};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use tokio::time::Instant;

/// Said of a person besides their value.
const PERSON_BYTES: usize = 24;
/// Said around everything else in a frame, and around one value.
const FRAME_BYTES: usize = 128;
const VALUE_BYTES: usize = 3;
/// People of other nodes that are waited for; those whose values were forgotten are told of again with the next word.
const EARLY_MAX: usize = 10_000;
/// So many may always be waited for.
const EARLY_MIN: usize = 64;

#[derive(Default)]
pub(crate) struct Book {
    people: BTreeMap<UserId, Person>,
    users: HashMap<u64, UserId>,
    last_number: u64,
    presences: BTreeMap<PartName, BTreeMap<u64, Value>>,
    /// Whose values changed since they were last told, the longest first.
    line: VecDeque<(PartName, u64)>,
    /// All that changed since the last round, for those who look at a part of the plane.
    fresh: Vec<(PartName, u64)>,
    came: Vec<u64>,
    gone: Vec<u64>,
    /// What is said of those who are about to be here.
    infos: HashMap<UserId, Option<Json>>,
    /// What people show through other nodes who are not known to be here yet.
    early: HashMap<UserId, BTreeMap<PartName, Holding>>,
    /// No value ends before this.
    sweep_at: Option<Instant>,
    /// Presences in which this node's own people changed something, where that is mirrored.
    changed: Option<BTreeSet<PartName>>,
}

struct Person {
    number: u64,
    info: Option<Json>,
}

/// What one person shows in one presence: through this node, through another, or both.
#[derive(Default)]
struct Value {
    own: Option<Holding>,
    far: Option<Holding>,
    waits: bool,
    /// Where it was when it was last told to those who look at a part of the plane.
    was: Option<(f64, f64)>,
}

#[derive(Clone)]
pub(crate) struct Holding {
    pub(crate) json: Json,
    pub(crate) until: Instant,
    /// When it was shown, by the clock all nodes go by: the newest counts.
    pub(crate) stamp: u64,
}

impl Value {
    fn now(&self) -> Option<&Holding> {
        match (&self.own, &self.far) {
            (Some(own), Some(far)) if far.stamp > own.stamp => Some(far),
            (Some(own), _) => Some(own),
            (None, far) => far.as_ref(),
        }
    }
}

impl Book {
    /// Notes from now on what is to be mirrored.
    pub(crate) fn mirrored(mut self) -> Book {
        self.changed = Some(BTreeSet::new());
        self
    }

    /// What changed since this was last asked.
    pub(crate) fn take_changed(&mut self) -> BTreeSet<PartName> {
        self.changed.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// What is to be said of somebody once they are here.
    pub(crate) fn introduce(&mut self, user: &UserId, info: Option<Json>) {
        if self.people.contains_key(user) {
            return;
        }
        self.infos.insert(user.clone(), info);
    }

    /// Takes over who is here. Whoever is not any more takes their values along.
    pub(crate) fn settle(&mut self, here: &Here) {
        let gone: Vec<UserId> = self.people.keys().filter(|user| !here.holds(user)).cloned().collect();
        for user in gone {
            self.goes(&user);
        }
        for user in here.iter() {
            if !self.people.contains_key(user) {
                self.comes(user);
            }
        }
        // What was said of somebody who never came is not kept for ever.
        if self.infos.len() > 2 * self.people.len() + EARLY_MIN {
            self.infos.clear();
        }
    }

    pub(crate) fn has_news(&self) -> bool {
        !self.line.is_empty() || !self.came.is_empty() || !self.gone.is_empty() || !self.fresh.is_empty()
    }

    /// Somebody shows something through this node; says whether they may have a value in one more presence.
    pub(crate) fn show(&mut self, user: &UserId, presence: &PartName, holding: Holding) -> bool {
        let Some(number) = self.people.get(user).map(|person| person.number) else { return false };
        if !self.presences.get(presence).is_some_and(|values| values.contains_key(&number)) {
            let held = self.presences.values().filter(|values| values.contains_key(&number)).count();
            if held >= PRESENCES_PER_PERSON_MAX {
                return false;
            }
        }
        self.change(presence, number, |value| value.own = Some(holding));
        true
    }

    /// The same through another node. Who is not known to be here yet will be told of when they are.
    pub(crate) fn show_far(&mut self, user: &UserId, presence: &PartName, holding: Option<Holding>) {
        if let Some(number) = self.people.get(user).map(|person| person.number) {
            return self.change(presence, number, |value| value.far = holding);
        }
        if self.early.len() >= EARLY_MAX {
            self.early.clear();
        }
        let shown = self.early.entry(user.clone()).or_default();
        match holding {
            Some(holding) if shown.len() < PRESENCES_PER_PERSON_MAX => drop(shown.insert(presence.clone(), holding)),
            Some(_) => {}
            None => drop(shown.remove(presence)),
        }
    }

    pub(crate) fn hide(&mut self, user: &UserId, presence: &PartName) {
        let Some(number) = self.people.get(user).map(|person| person.number) else { return };
        if self.presences.get(presence).is_some_and(|values| values.contains_key(&number)) {
            self.change(presence, number, |value| value.own = None);
        }
    }

    /// Somebody is here through other nodes only: what they showed through this one is over.
    pub(crate) fn hide_all(&mut self, user: &UserId) {
        let names: Vec<PartName> = self.presences.keys().cloned().collect();
        names.iter().for_each(|presence| self.hide(user, presence));
    }

    /// A presence was taken away with everybody's values.
    pub(crate) fn end(&mut self, presence: &PartName) {
        let numbers: Vec<u64> = self.presences.get(presence).into_iter().flat_map(|values| values.keys().copied()).collect();
        for number in numbers {
            self.change(presence, number, |value| (value.own, value.far) = (None, None));
        }
    }

    pub(crate) fn sweep_at(&self) -> Option<Instant> {
        self.sweep_at
    }

    /// Ends what has not been shown again in its time.
    pub(crate) fn sweep(&mut self, now: Instant) {
        if self.sweep_at.is_none_or(|sweep_at| sweep_at > now) {
            return;
        }
        let mut over = Vec::new();
        let mut next: Option<Instant> = None;
        for (presence, values) in &self.presences {
            for (number, value) in values {
                for holding in [&value.own, &value.far].into_iter().flatten() {
                    if holding.until <= now {
                        over.push((presence.clone(), *number));
                    } else {
                        next = Some(next.map_or(holding.until, |next| next.min(holding.until)));
                    }
                }
            }
        }
        for (presence, number) in over {
            self.change(&presence, number, |value| {
                value.own.take_if(|holding| holding.until <= now);
                value.far.take_if(|holding| holding.until <= now);
            });
        }
        self.sweep_at = next;
    }

    /// What to tell everyone next, within so many bytes. People are told of at once.
    pub(crate) fn news(&mut self, bytes: usize) -> News {
        let mut news = News { gone: std::mem::take(&mut self.gone), ..News::default() };
        for number in std::mem::take(&mut self.came) {
            // Whoever came and went in between is nobody's business.
            if let Some(user) = self.users.get(&number) {
                news.who.push((number, user.clone(), self.people[user].info.clone()));
            }
        }
        let mut spent = 0;
        while spent < bytes
            && let Some((presence, number)) = self.line.pop_front()
        {
            let Some(values) = self.presences.get_mut(&presence) else { continue };
            let Some(value) = values.get_mut(&number) else { continue };
            value.waits = false;
            match value.now() {
                Some(holding) => {
                    spent += value_bytes(number, &holding.json);
                    news.shown(&presence).set.push((number, holding.json.clone()));
                }
                None => {
                    spent += VALUE_BYTES + digits(number);
                    values.remove(&number);
                    news.shown(&presence).unset.push(number);
                }
            }
        }
        news
    }

    /// All there is to tell to somebody who was told nothing yet.
    pub(crate) fn whole(&self, within: &[(PartName, Frame)]) -> News {
        let mut news = News { whole: true, ..News::default() };
        news.who = self.people.iter().map(|(user, person)| (person.number, user.clone(), person.info.clone())).collect();
        for (presence, values) in &self.presences {
            let frame = within.iter().find(|(name, _)| name == presence).map(|(_, frame)| frame);
            let seen = |json: &Json| frame.is_none_or(|frame| spot(json).is_some_and(|spot| frame.holds(spot)));
            let set: Vec<(u64, Json)> = values
                .iter()
                .filter_map(|(number, value)| Some((*number, value.now()?.json.clone())))
                .filter(|(_, json)| seen(json))
                .collect();
            if !set.is_empty() {
                news.of.push((presence.clone(), Shown { set, unset: Vec::new() }));
            }
        }
        news
    }

    /// What to tell somebody who looks at a part of the plane: of those presences what moved in, within or out of it, of all
    /// others what everyone is told.
    pub(crate) fn within(&self, everyone: &News, within: &[(PartName, Frame)]) -> News {
        let mut news = News { who: everyone.who.clone(), gone: everyone.gone.clone(), ..News::default() };
        let framed = |presence: &PartName| within.iter().find(|(name, _)| name == presence).map(|(_, frame)| frame);
        news.of.extend(everyone.of.iter().filter(|(presence, _)| framed(presence).is_none()).cloned());
        for (presence, number) in &self.fresh {
            let Some(frame) = framed(presence) else { continue };
            let value = self.presences.get(presence).and_then(|values| values.get(number));
            let now = value.and_then(Value::now);
            let was_in = value.and_then(|value| value.was).is_some_and(|was| frame.holds(was));
            match now {
                Some(holding) if was_in || spot(&holding.json).is_some_and(|spot| frame.holds(spot)) => {
                    news.shown(presence).set.push((*number, holding.json.clone()));
                }
                Some(_) => {}
                None => news.shown(presence).unset.push(*number),
            }
        }
        news
    }

    /// How many values changed since the last round.
    pub(crate) fn fresh(&self) -> usize {
        self.fresh.len()
    }

    /// The round is over: those who look at a part of the plane know where everybody is.
    pub(crate) fn close_round(&mut self, somebody_looks: bool) {
        for (presence, number) in std::mem::take(&mut self.fresh) {
            if somebody_looks && let Some(value) = self.presences.get_mut(&presence).and_then(|values| values.get_mut(&number)) {
                value.was = value.now().and_then(|holding| spot(&holding.json));
            }
        }
    }

    /// What this node's own people show, for the other nodes.
    pub(crate) fn own(&self) -> Vec<(UserId, PartName, Holding)> {
        let mut own = Vec::new();
        for (presence, values) in &self.presences {
            for (number, value) in values {
                if let (Some(holding), Some(user)) = (&value.own, self.users.get(number)) {
                    own.push((user.clone(), presence.clone(), holding.clone()));
                }
            }
        }
        own
    }

    pub(crate) fn knows(&self, user: &UserId) -> bool {
        self.people.contains_key(user)
    }

    pub(crate) fn info(&self, user: &UserId) -> Option<&Json> {
        self.people.get(user).and_then(|person| person.info.as_ref())
    }

    /// Who shows what in one presence, for one look.
    pub(crate) fn page(&self, presence: &PartName) -> Vec<(UserId, Option<Json>, Json)> {
        let values = self.presences.get(presence).into_iter().flatten();
        let shown = values.filter_map(|(number, value)| {
            let user = self.users.get(number)?;
            Some((user.clone(), self.info(user).cloned(), value.now()?.json.clone()))
        });
        shown.collect()
    }

    fn comes(&mut self, user: &UserId) {
        self.last_number += 1;
        let info = self.infos.remove(user).flatten();
        self.people.insert(user.clone(), Person { number: self.last_number, info });
        self.users.insert(self.last_number, user.clone());
        self.came.push(self.last_number);
        let number = self.last_number;
        for (presence, holding) in self.early.remove(user).unwrap_or_default() {
            self.change(&presence, number, |value| value.far = Some(holding));
        }
    }

    fn goes(&mut self, user: &UserId) {
        let Some(Person { number, .. }) = self.people.remove(user) else { return };
        self.users.remove(&number);
        self.presences.retain(|_, values| {
            values.remove(&number);
            !values.is_empty()
        });
        if let Some(index) = self.came.iter().position(|came| *came == number) {
            self.came.swap_remove(index);
        } else {
            self.gone.push(number);
        }
    }

    fn change(&mut self, presence: &PartName, number: u64, change: impl FnOnce(&mut Value)) {
        let value = self.presences.entry(presence.clone()).or_default().entry(number).or_default();
        let was_own = value.own.is_some();
        change(value);
        if let Some(changed) = &mut self.changed
            && (was_own || value.own.is_some())
            && !changed.contains(presence)
        {
            changed.insert(presence.clone());
        }
        if let Some(until) = value.now().map(|holding| holding.until) {
            self.sweep_at = Some(self.sweep_at.map_or(until, |sweep_at| sweep_at.min(until)));
        }
        self.fresh.push((presence.clone(), number));
        if !std::mem::replace(&mut value.waits, true) {
            self.line.push_back((presence.clone(), number));
        }
    }
}

/// Roughly what telling this costs.
pub(crate) fn bytes(news: &News) -> usize {
    let people = (news.who.len() + news.gone.len()) * PERSON_BYTES;
    let set = news.of.iter().flat_map(|(_, shown)| &shown.set);
    FRAME_BYTES + people + set.map(|(number, json)| value_bytes(*number, json)).sum::<usize>()
}

/// Values are told as rows under one head: what their keys are is said once for all of them.
fn value_bytes(number: u64, json: &Json) -> usize {
    let fields = json.members().map(|members| members.map(|(_, value)| value.len() + 1).sum::<usize>());
    VALUE_BYTES + digits(number) + fields.unwrap_or(json.len())
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

/// Where on the plane a value says that it is.
fn spot(json: &Json) -> Option<(f64, f64)> {
    let (mut x, mut y) = (None, None);
    for (name, value) in json.members()? {
        match name {
            "x" => x = value.parse().ok(),
            "y" => y = value.parse().ok(),
            _ => {}
        }
    }
    Some((x?, y?))
}
