//! A space as one connection has it: nothing but what it was told, in the order it was told. A frame that does not follow
//! what came before it is a failure of the server.

use crate::doors::inside::{Inside, user_key};
use crate::doors::socket::{Came, Socket};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

pub(crate) struct Copy {
    pub(crate) socket: Socket,
    pub(crate) room: String,
    pub(crate) name: String,
    pub(crate) user_id: String,
    pub(crate) held: Held,
    /// While the space is being read out: what there is of it so far.
    aside: Option<Held>,
    pub(crate) place: Option<(String, String)>,
    /// Everything that was said or shown, newest last.
    pub(crate) pushes: Vec<Value>,
    last_id: u64,
    pub(crate) snapshots: usize,
}

/// What a space holds.
#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct Held {
    pub(crate) maps: BTreeMap<String, BTreeMap<String, (u64, Value)>>,
    /// id → order, version, value.
    pub(crate) lists: BTreeMap<String, BTreeMap<String, (String, u64, Value)>>,
    pub(crate) presences: BTreeMap<String, u64>,
    pub(crate) space: Value,
}

impl Copy {
    pub(crate) async fn enter(server: &Inside, room: &str, name: &str) -> Copy {
        let mut copy = Copy::outside(server, room, name).await;
        copy.come_in(json!({})).await;
        copy
    }

    pub(crate) async fn outside(server: &Inside, room: &str, name: &str) -> Copy {
        let mut socket = server.socket().await;
        let hello = json!({ "user_key": user_key(name), "client": format!("tab-{name}") });
        assert_eq!(socket.ask("hello", None, None, Some(hello)).await["ok"]["protocol"], 1);
        Copy::with(socket, room, name)
    }

    /// Over a socket that has said hello.
    pub(crate) fn with(socket: Socket, room: &str, name: &str) -> Copy {
        Copy {
            socket,
            room: room.to_owned(),
            name: name.to_owned(),
            user_id: String::new(),
            held: Held::default(),
            aside: None,
            place: None,
            pushes: Vec::new(),
            last_id: 1000,
            snapshots: 0,
        }
    }

    /// Another line, from where this copy was: says whether it went on from there.
    pub(crate) async fn come_back(&mut self, server: &Inside) -> bool {
        let fresh = Copy::outside(server, &self.room, &self.name).await;
        self.socket = fresh.socket;
        self.aside = None;
        let with = match &self.place {
            Some((at, mark)) => json!({ "at": at, "mark": mark }),
            None => json!({}),
        };
        self.come_in(with).await
    }

    pub(crate) async fn come_in(&mut self, with: Value) -> bool {
        let reply = self.does_with("enter", with, None).await;
        let ok = &reply["ok"];
        assert!(ok.is_object(), "{}: {reply}", self.name);
        self.user_id = ok["user_id"].as_str().unwrap_or_default().to_owned();
        let resumed = ok["resumed"] == true;
        if !resumed {
            let before = self.snapshots;
            while self.snapshots == before {
                self.hear().await;
            }
        }
        resumed
    }

    /// A command that must be accepted; gives the reply's `ok`.
    pub(crate) async fn does(&mut self, verb: &str, with: Value) -> Value {
        let reply = self.tries(verb, with).await;
        assert!(reply["ok"].is_object(), "{}: {verb}: {reply}", self.name);
        reply["ok"].clone()
    }

    pub(crate) async fn tries(&mut self, verb: &str, with: Value) -> Value {
        self.does_with(verb, with, None).await
    }

    pub(crate) async fn does_with(&mut self, verb: &str, with: Value, number: Option<u64>) -> Value {
        let id = self.sends(verb, with, number).await;
        loop {
            let frame = self.hear().await;
            if frame["id"] == id {
                return frame;
            }
        }
    }

    /// Sends and does not wait; gives the id of the reply.
    pub(crate) async fn sends(&mut self, verb: &str, with: Value, number: Option<u64>) -> u64 {
        self.last_id += 1;
        let mut request = json!({ "id": self.last_id, "do": verb, "room": self.room, "with": with });
        if let Some(number) = number {
            request["n"] = number.into();
        }
        self.socket.send(&request.to_string()).await;
        self.last_id
    }

    /// What wants no answer.
    pub(crate) async fn flashes(&mut self, verb: &str, with: Value) {
        let request = json!({ "do": verb, "room": self.room, "with": with });
        self.socket.send(&request.to_string()).await;
    }

    /// The next frame, taken in.
    pub(crate) async fn hear(&mut self) -> Value {
        match self.socket.next().await {
            Came::Text(frame) => {
                self.take(&frame);
                frame
            }
            Came::Closed(code, reason) => panic!("{}: closed with {code}: {reason}", self.name),
        }
    }

    /// Hears until this holds.
    pub(crate) async fn hears_until(&mut self, mut holds: impl FnMut(&Copy) -> bool) {
        while !holds(self) {
            self.hear().await;
        }
    }

    /// Hears until it stands at this position.
    pub(crate) async fn stands_at(&mut self, at: &str) {
        let at = at.to_owned();
        self.hears_until(|copy| copy.place.as_ref().is_some_and(|(now, _)| *now == at)).await;
    }

    /// All that was pushed under this name.
    pub(crate) fn heard(&self, push: &str) -> Vec<&Value> {
        self.pushes.iter().filter(|frame| frame["push"] == push).collect()
    }

    pub(crate) fn take(&mut self, frame: &Value) {
        if frame["room"].as_str().is_some_and(|room| room != self.room) {
            return;
        }
        match frame["push"].as_str() {
            Some("snapshot") => self.take_snapshot(frame),
            Some("changes") => {
                let base = frame["base"].as_str().unwrap();
                if self.aside.is_none() {
                    let at = self.place.as_ref().map(|(at, _)| at.as_str());
                    assert_eq!(at, Some(base), "{}: a frame does not follow: {frame}", self.name);
                }
                for done in frame["done"].as_array().unwrap() {
                    self.change(done["changes"].as_array().unwrap());
                }
                self.moves(frame);
                self.pushes.push(frame.clone());
            }
            Some(_) => self.pushes.push(frame.clone()),
            None if frame["ok"]["changes"].is_array() => {
                self.change(frame["ok"]["changes"].as_array().unwrap());
                self.moves(&frame["ok"]);
            }
            None => {}
        }
    }

    fn moves(&mut self, frame: &Value) {
        if let (Some(at), Some(mark)) = (frame["at"].as_str(), frame["mark"].as_str())
            && self.aside.is_none()
        {
            self.place = Some((at.to_owned(), mark.to_owned()));
        }
    }

    fn take_snapshot(&mut self, frame: &Value) {
        if frame["first"] == true {
            let presences = frame["presences"].as_object().unwrap();
            let presences = presences.iter().map(|(name, seconds)| (name.clone(), seconds.as_u64().unwrap())).collect();
            self.aside = Some(Held { space: frame["space"].clone(), presences, ..Held::default() });
        }
        let held = self.aside.as_mut().expect("the first piece comes first");
        for (name, entries) in object(&frame["maps"]) {
            let map = held.maps.entry(name.clone()).or_default();
            for (key, entry) in object(entries) {
                map.insert(key.clone(), (entry[0].as_u64().unwrap(), entry[1].clone()));
            }
        }
        for (name, items) in object(&frame["lists"]) {
            let list = held.lists.entry(name.clone()).or_default();
            for item in items.as_array().unwrap() {
                let (id, order) = (item[0].as_str().unwrap(), item[1].as_str().unwrap());
                list.insert(id.to_owned(), (order.to_owned(), item[2].as_u64().unwrap(), item[3].clone()));
            }
        }
        if frame["last"] == true {
            self.held = self.aside.take().expect("it is being read");
            self.place = Some((frame["at"].as_str().unwrap().to_owned(), frame["mark"].as_str().unwrap().to_owned()));
            self.snapshots += 1;
        }
    }

    fn change(&mut self, changes: &[Value]) {
        let held = self.aside.as_mut().unwrap_or(&mut self.held);
        for change in changes {
            held.change(change);
        }
    }
}

impl Held {
    fn change(&mut self, change: &Value) {
        let flag = |name: &str| change[name] == true;
        if let Some(name) = change["map"].as_str() {
            match change["key"].as_str() {
                Some(key) if flag("removed") => drop(self.maps.get_mut(name).map(|map| map.remove(key))),
                Some(key) => {
                    let entry = (change["version"].as_u64().unwrap(), change["value"].clone());
                    self.maps.entry(name.to_owned()).or_default().insert(key.to_owned(), entry);
                }
                None if flag("deleted") => drop(self.maps.remove(name)),
                None if flag("cleared") => drop(self.maps.insert(name.to_owned(), BTreeMap::new())),
                None => drop(self.maps.entry(name.to_owned()).or_default()),
            }
        } else if let Some(name) = change["list"].as_str() {
            match change["id"].as_str() {
                Some(id) if flag("removed") => drop(self.lists.get_mut(name).map(|list| list.remove(id))),
                Some(id) => self.change_item(name, id, change),
                None if flag("deleted") => drop(self.lists.remove(name)),
                None if flag("cleared") => drop(self.lists.insert(name.to_owned(), BTreeMap::new())),
                None => drop(self.lists.entry(name.to_owned()).or_default()),
            }
        } else if let Some(name) = change["presence"].as_str() {
            match change["seconds"].as_u64() {
                Some(seconds) => drop(self.presences.insert(name.to_owned(), seconds)),
                None => drop(self.presences.remove(name)),
            }
        } else if change["space"].is_object() {
            self.space = change["space"].clone();
        } else {
            panic!("what is {change}?");
        }
    }

    /// A move or a new value of what is not there yet is passed over: it is read later, and is newer then.
    fn change_item(&mut self, name: &str, id: &str, change: &Value) {
        let (order, version) = (change["order"].as_str(), change["version"].as_u64());
        let list = self.lists.entry(name.to_owned()).or_default();
        match (list.get_mut(id), order, version) {
            (_, Some(order), Some(version)) => {
                list.insert(id.to_owned(), (order.to_owned(), version, change["value"].clone()));
            }
            (Some(item), Some(order), None) => item.0 = order.to_owned(),
            (Some(item), None, Some(version)) => (item.1, item.2) = (version, change["value"].clone()),
            (None, _, _) | (Some(_), None, None) => {}
        }
    }

    /// A list's values in their order.
    pub(crate) fn in_order(&self, list: &str) -> Vec<Value> {
        self.ids_in_order(list).iter().map(|id| self.lists[list][id].2.clone()).collect()
    }

    pub(crate) fn ids_in_order(&self, list: &str) -> Vec<String> {
        let Some(items) = self.lists.get(list) else { return Vec::new() };
        let mut ids: Vec<(&String, &String)> = items.iter().map(|(id, item)| (&item.0, id)).collect();
        ids.sort();
        assert!(ids.windows(2).all(|two| two[0].0 != two[1].0), "two items have the same order");
        ids.into_iter().map(|(_, id)| id.clone()).collect()
    }

    pub(crate) fn value(&self, map: &str, key: &str) -> Option<&Value> {
        self.maps.get(map)?.get(key).map(|(_, value)| value)
    }
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap_or_else(|| panic!("{value} is no object"))
}

/// A space that guests may write to, and its host key.
pub(crate) async fn space(server: &Inside, name: &str) -> (String, String) {
    space_with(server, name, json!({ "guests": "write", "life_minutes": 1440 })).await
}

pub(crate) async fn space_with(server: &Inside, name: &str, mut wish: Value) -> (String, String) {
    wish["kind"] = "space".into();
    let key = format!("an-idempotency-key-for-the-space-{name}");
    let headers = [("idempotency-key", key.as_str()), ("content-type", "application/json")];
    let made = server.ask("POST", "/v1/rooms", &headers, Some(&wish.to_string())).await;
    assert_eq!(made.status, 201, "{made:?}");
    let made = made.json();
    (made["room"].as_str().unwrap().to_owned(), made["host_key"].as_str().unwrap().to_owned())
}

/// What the server has, read to somebody who has never been there.
pub(crate) async fn truth(server: &Inside, room: &str) -> Held {
    Copy::enter(server, room, "somebody-new").await.held
}
