//! What a client can ask, in one envelope: `{"id":7,"do":"vote","room":"poker/…","n":3,"with":{"card":"5"}}`.
//!
//! `id` comes back with the reply; `n` is the client's own number for a command, so that sending it again
//! does it once; `with` holds what the verb needs.

use crate::commands;
use crate::depth::{DEPTH_MAX, is_shallow};
use crate::secret::Secret;
use crate::session::{self, Login};
use crate::wish;
use bytes::Bytes;
use parlor_rules::names::hides;
use parlor_rules::space::Showing;
use parlor_rules::{Address, ClientId, Code, Command, Kind, Place, UserId, Wish};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::str::FromStr;

pub enum Ask {
    Hello(Hello),
    Login(Login),
    Logout,
    Verify,
    User(UserId),
    Create(Wish),
    Enter(Address, Enter),
    Exit(Address),
    /// With a host key if it is to be tried.
    Look(Address, Option<Secret>),
    Say(Address, Bytes),
    Act(Address, Option<u64>, Command),
    Show(Address, Showing),
    Ping,
}

/// The first thing on a socket: who this is, and which running program.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// Of a session; it wins over a user key.
    pub token: Option<Secret>,
    /// Whether to be who the cookie says that came when the socket was opened.
    #[serde(default)]
    pub cookie: bool,
    /// The private key of an earlier visit; without one, a new one is made.
    pub user_key: Option<Secret>,
    #[serde(default, deserialize_with = "client")]
    pub client: Option<ClientId>,
}

/// Coming to a room to watch it, with a host key if one has it, from where one was if one has been there.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Enter {
    #[serde(alias = "master_key")]
    pub host_key: Option<Secret>,
    /// Whether to be told what changed instead of everything.
    #[serde(default)]
    pub patch: bool,
    #[serde(default)]
    at: Option<String>,
    #[serde(default)]
    mark: Option<String>,
    #[serde(skip)]
    pub resume: Option<Place>,
}

/// A request that was not understood or not allowed: one sentence, one code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub code: Code,
    pub message: String,
    /// A game's own word for it, where it has one.
    pub reason: Option<&'static str>,
}

impl Fault {
    pub fn new(code: Code, message: impl ToString) -> Fault {
        Fault { code, message: message.to_string(), reason: None }
    }

    pub fn bad(message: impl ToString) -> Fault {
        Fault::new(Code::BadRequest, message)
    }
}

/// A complaint may name a field somebody made up; it stays a sentence.
const COMPLAINT_CHARS_MAX: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<'a> {
    #[serde(default)]
    id: u64,
    #[serde(borrow)]
    r#do: Cow<'a, str>,
    #[serde(default, borrow)]
    room: Option<Cow<'a, str>>,
    #[serde(default)]
    n: Option<u64>,
    #[serde(default, borrow)]
    with: Option<&'a RawValue>,
}

/// Reads one request. The id is given back also with a fault, when it could be read, so that the reply finds its asker.
pub fn read(frame: &str) -> (u64, Result<Ask, Fault>) {
    if let Err(fault) = shallow(Some(frame)) {
        return (0, Err(fault));
    }
    match words::<Envelope<'_>>(Some(frame)) {
        Ok(envelope) => (envelope.id, open(&envelope)),
        Err(fault) => (id_of(frame), Err(fault)),
    }
}

/// Reads what a verb needs, as REST bodies carry it; nothing counts as `{}`.
pub fn words<'a, T: Deserialize<'a>>(with: Option<&'a str>) -> Result<T, Fault> {
    let with = with.unwrap_or("{}");
    // The library would also take a list of the values, in an order nobody promised.
    if with.trim_start().starts_with('[') {
        return Err(Fault::bad("this is not a request in the right form: it is a list, expected an object"));
    }
    serde_json::from_str(with).map_err(|error| unreadable(&error))
}

/// Reads one word into what it stands for.
pub(crate) fn one<T: FromStr<Err: ToString>>(text: &str) -> Result<T, Fault> {
    text.parse().map_err(|error: T::Err| Fault::bad(error.to_string()))
}

/// Reads what an act needs, as REST bodies carry it.
pub fn act(kind: Kind, verb: &str, with: Option<&str>) -> Result<Command, Fault> {
    shallow(with)?;
    commands::read(kind, verb, with)
}

/// Reads what somebody shows, as REST bodies carry it; nothing when the verb is no such word.
pub fn showing(kind: Kind, verb: &str, with: Option<&str>) -> Option<Result<Showing, Fault>> {
    let showing = commands::showing(kind, verb, with)?;
    Some(shallow(with).and(showing))
}

/// Reads what is to be said, as REST bodies carry it: one JSON value.
pub fn spoken(with: Option<&str>) -> Result<Bytes, Fault> {
    shallow(with)?;
    let with = with.map(serde_json::from_str::<&RawValue>).transpose().map_err(|error| unreadable(&error))?;
    said(with.map(RawValue::get))
}

pub(crate) fn shallow(with: Option<&str>) -> Result<(), Fault> {
    if with.is_none_or(is_shallow) { Ok(()) } else { Err(Fault::bad(format!("JSON may nest {DEPTH_MAX} deep at most"))) }
}

/// Reads what a new room is to be, as REST bodies carry it.
pub fn new_room(with: Option<&str>) -> Result<Wish, Fault> {
    shallow(with)?;
    wish::read(with)
}

fn open(envelope: &Envelope<'_>) -> Result<Ask, Fault> {
    let with = envelope.with.map(RawValue::get);
    let room = || -> Result<Address, Fault> {
        let room = envelope.room.as_deref().ok_or_else(|| Fault::bad("say which room, for example \"room\":\"poker/…\""))?;
        room.parse().map_err(Fault::bad)
    };
    Ok(match &*envelope.r#do {
        "hello" => Ask::Hello(words(with)?),
        "ping" => Ask::Ping,
        "login" => Ask::Login(session::login(with)?),
        "logout" => session::nothing(with, Ask::Logout)?,
        "verify" => session::nothing(with, Ask::Verify)?,
        "user" => Ask::User(session::user(with)?),
        "create" => Ask::Create(new_room(with)?),
        "enter" => Ask::Enter(room()?, enter(with)?),
        "exit" => Ask::Exit(room()?),
        "look" => Ask::Look(room()?, looked(with)?),
        // As document 002 calls them.
        "CREATE_ROOM" => Ask::Create(wish::of(Kind::Reels, with)?),
        "JOIN_ROOM" => Ask::Enter(game(room()?)?, enter(with)?),
        "STATE_SYNC" => Ask::Look(game(room()?)?, looked(with)?),
        "say" => Ask::Say(room()?, said(with)?),
        verb => {
            let room = room()?;
            if let Some(showing) = commands::showing(room.kind, verb, with) {
                return Ok(Ask::Show(room, showing?));
            }
            let command = commands::read(room.kind, verb, with)?;
            Ask::Act(room, envelope.n, command)
        }
    })
}

/// The document's names are for its own game.
fn game(room: Address) -> Result<Address, Fault> {
    if room.kind == Kind::Reels { Ok(room) } else { Err(Fault::bad("that is a word of the party game: \"room\":\"reels/…\"")) }
}

fn looked(with: Option<&str>) -> Result<Option<Secret>, Fault> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Look {
        #[serde(alias = "master_key")]
        host_key: Option<Secret>,
    }
    words::<Look>(with).map(|Look { host_key }| host_key)
}

fn enter(with: Option<&str>) -> Result<Enter, Fault> {
    let mut enter: Enter = words(with)?;
    enter.resume = match (&enter.at, &enter.mark) {
        (Some(at), Some(mark)) => {
            Some(Place { position: at.parse().map_err(Fault::bad)?, mark: mark.parse().map_err(Fault::bad)? })
        }
        (None, None) => None,
        (Some(_), None) | (None, Some(_)) => return Err(Fault::bad("to resume, send both \"at\" and \"mark\"")),
    };
    Ok(enter)
}

/// What is said is passed on as it stands.
fn said(with: Option<&str>) -> Result<Bytes, Fault> {
    let data = with.ok_or_else(|| Fault::bad("say something: put it in \"with\""))?;
    Ok(Bytes::copy_from_slice(data.as_bytes()))
}

pub(crate) fn client<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<ClientId>, D::Error> {
    let text: Option<String> = Option::deserialize(deserializer)?;
    text.map(|text| text.parse().map_err(serde::de::Error::custom)).transpose()
}

/// What was sent is not repeated: it may be a key in the wrong place.
fn unreadable(error: &serde_json::Error) -> Fault {
    let text = error.to_string();
    let complaint = match (text.find("string \""), text.rfind("\", expected")) {
        (Some(begin), Some(end)) => format!("{}a string{}", &text[..begin], &text[end + 1..]),
        _ => text,
    };
    // A field's name is the sender's: it may hold anything, and a complaint is one line of visible text.
    let visible = complaint.chars().map(|c| if hides(c) { '\u{fffd}' } else { c });
    let complaint: String = visible.take(COMPLAINT_CHARS_MAX).collect();
    Fault::bad(format!("this is not a request in the right form: {complaint}"))
}

/// The id of a request whose envelope is wrong in some other way.
fn id_of(frame: &str) -> u64 {
    #[derive(Deserialize)]
    struct Id {
        #[serde(default)]
        id: u64,
    }
    serde_json::from_str(frame).map_or(0, |Id { id }| id)
}
