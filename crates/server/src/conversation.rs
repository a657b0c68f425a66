//! One client's conversation: requests come in as text, answers and pushes leave through the outbox.
//!
//! It knows nothing of sockets, so the simulator holds the same conversations over its own weather. Commands
//! are handed to their rooms in the order they arrive; their answers may come in another.

mod member;
mod visitor;

use crate::attendance::Attending;
use crate::auth::Granted;
use crate::auth::visits::Visiting;
use crate::doors::Doors;
use crate::few::Few;
use crate::logins::no_session;
use crate::throttle::Pace;
use bytes::Bytes;
use futures_util::FutureExt;
use parlor_engine::{Acted, Entrance, Error, Listening, Outbox, Request};
use parlor_rules::space::Showing;
use parlor_rules::{Address, ClientId, Code, Command, Credential, Kind, SecretHash, Span, Wish};
use parlor_wire::space::told;
use parlor_wire::{Ask, Enter, Fault, Hello, Secret, ask, say};
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use visitor::{Visitor, room_of};

pub struct Conversation {
    doors: Arc<Doors>,
    outbox: Arc<Outbox>,
    from: IpAddr,
    pace: Pace,
    whole_us: u64,
    /// Of the session whose cookie came with the handshake.
    cookie: Option<Box<SecretHash>>,
    who: Option<Who>,
    /// The store is asked something that the next request may depend on.
    held: bool,
    rooms: Few<Address, Entered>,
}

struct Who {
    person: Person,
    client: Option<ClientId>,
}

enum Person {
    Guest(SecretHash),
    Member(Box<Attending>),
    /// With a token of the app's.
    Visitor(Box<Visitor>),
}

struct Entered {
    host: Option<SecretHash>,
    /// Where the app vouches for a while only.
    _visiting: Option<Box<Visiting>>,
    /// Nothing while the room has not answered yet.
    listening: Option<Listening>,
}

/// Something that takes time; its outcome is to be given back to `settle`.
pub type Waiting = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// What the store, or the app, must say before a request is handed on; the app also says what may be done.
type Admission = Pin<Box<dyn Future<Output = Admitted> + Send>>;
type Admitted = Result<Option<Arc<Granted>>, Fault>;

pub enum Outcome {
    Say(Bytes),
    /// What there was to say has been said.
    Said,
    Entered(u64, Address, Result<Listening, Error>),
    Admitted(u64, Box<Ask>, Admitted),
    Known(u64, Result<Box<Known>, Fault>),
}

/// Somebody whose session the store has confirmed, or whose token the keys have, and what they are told.
pub struct Known {
    person: Person,
    client: Option<ClientId>,
    reply: Bytes,
}

impl Conversation {
    pub fn new(doors: Arc<Doors>, outbox: Arc<Outbox>, from: IpAddr) -> Conversation {
        let rate = doors.config.doors.message_rate_max;
        let pace = Pace::per(Span::seconds(1), rate, rate * 2);
        Conversation { doors, outbox, from, pace, whole_us: 0, cookie: None, who: None, held: false, rooms: Few::new() }
    }

    pub fn with_cookie(self, token: Option<SecretHash>) -> Conversation {
        Conversation { cookie: token.map(Box::new), ..self }
    }

    /// Whether the next request can be taken; commands keep their order also while the store is asked.
    pub fn may_hear(&self) -> bool {
        !self.held
    }

    pub fn has_said_hello(&self) -> bool {
        self.who.is_some()
    }

    /// Takes one request. What can be answered at once is; the rest is returned to be waited for.
    pub fn hear(&mut self, frame: &str) -> Option<Waiting> {
        let (id, asked) = ask::read(frame);
        let answer = if self.pace.take(&mut self.whole_us, self.doors.now()) {
            asked.and_then(|ask| self.consider(id, ask))
        } else {
            Err(Fault::new(Code::TooFast, "too many messages; slow down and send it again"))
        };
        self.say_why(id, answer)
    }

    /// Takes the outcome of something waited for; that may lead to something else to wait for.
    pub fn settle(&mut self, outcome: Outcome) -> Option<Waiting> {
        match outcome {
            Outcome::Say(frame) => self.outbox.push(frame),
            Outcome::Said => {}
            Outcome::Admitted(id, ask, admitted) => {
                self.held = false;
                let answer = admitted.and_then(|granted| self.answer_admitted(id, *ask, granted));
                return self.say_why(id, answer);
            }
            Outcome::Known(_, Ok(known)) => {
                let Known { person, client, reply } = *known;
                self.held = false;
                self.who = Some(Who { person, client });
                self.outbox.push(reply);
            }
            Outcome::Known(id, Err(fault)) => {
                self.held = false;
                self.outbox.push(say::error(id, &fault));
            }
            Outcome::Entered(_, room, Ok(listening)) => {
                // Left again meanwhile: dropping the listening takes it back.
                if let Some(entered) = self.rooms.get_mut(&room) {
                    entered.listening = Some(listening);
                }
            }
            Outcome::Entered(id, room, Err(error)) => {
                self.rooms.remove(&room);
                self.outbox.push(say::error(id, &self.doors.fault(self.from, &error)));
            }
        }
        None
    }

    fn say_why(&self, id: u64, answer: Result<Option<Waiting>, Fault>) -> Option<Waiting> {
        answer.unwrap_or_else(|fault| {
            self.outbox.push(say::error(id, &fault));
            None
        })
    }

    /// Whoever asks must be known, and the store may have to say first that they still are.
    fn consider(&mut self, id: u64, ask: Ask) -> Result<Option<Waiting>, Fault> {
        let hello_first = || Fault::new(Code::Unauthenticated, r#"say hello first: {"id":1,"do":"hello"}"#);
        let admission = match &ask {
            Ask::Ping | Ask::Hello(_) | Ask::Login(_) => None,
            _ if self.who.is_none() => return Err(hello_first()),
            ask => self.admission(ask),
        };
        if let Some(room) = room_of(&ask) {
            self.forget_if_over(room);
            if !self.rooms.contains_key(room) {
                self.doors.may_guess(self.from, room)?;
            }
        }
        let Some(mut admission) = admission else { return self.answer(id, ask) };
        // Within a second of the last renewal, and on a store in memory, there is nothing to wait for.
        if let Some(admitted) = (&mut admission).now_or_never() {
            return admitted.and_then(|granted| self.answer_admitted(id, ask, granted));
        }
        self.held = true;
        Ok(Some(Box::pin(async move { Outcome::Admitted(id, Box::new(ask), admission.await) })))
    }

    /// A room that ended is not one we are in, nor is its key that of another room with the same name.
    fn forget_if_over(&mut self, room: &Address) {
        let over = |entered: &Entered| entered.listening.as_ref().is_some_and(Listening::is_over);
        if self.rooms.get(room).is_some_and(over) {
            self.rooms.remove(room);
        }
    }

    fn answer(&mut self, id: u64, ask: Ask) -> Result<Option<Waiting>, Fault> {
        match ask {
            Ask::Ping => self.outbox.push(say::pong(id, self.doors.now())),
            Ask::Hello(hello) => return self.hello(id, hello),
            Ask::Login(login) => return self.login(id, login),
            Ask::Logout => return self.logout(id).map(Some),
            Ask::Verify => return self.verify(id).map(Some),
            Ask::User(user) => return self.user(id, user).map(Some),
            Ask::Create(wish) => return Ok(Some(self.create(id, wish))),
            Ask::Enter(room, enter) => return self.enter(id, room, enter),
            Ask::Exit(room) => {
                self.rooms.remove(&room);
                self.outbox.push(say::done(id));
            }
            Ask::Look(room, key) => return self.look(id, room, key.as_ref()).map(Some),
            Ask::Say(room, data) => return Ok(self.say(id, &room, data)),
            Ask::Show(room, showing) => return Ok(self.show(id, &room, showing)),
            Ask::Act(room, number, command) => return self.act(id, room, number, command),
        }
        Ok(None)
    }

    fn hello(&mut self, id: u64, mut hello: Hello) -> Result<Option<Waiting>, Fault> {
        self.is_nobody_yet()?;
        let cookie = if hello.cookie { self.cookie.take() } else { None };
        if let Some(token) = hello.token.take_if(|token| self.doors.auth.judges(token)) {
            return Ok(Some(self.hello_visitor(id, token, hello.client)));
        }
        match hello.token.as_ref().map(Secret::hash).or(cookie.map(|token| *token)) {
            Some(token) => return Ok(Some(self.hello_member(id, token, hello.client))),
            None if hello.cookie => return Err(no_session()),
            None => {}
        }
        let made = match &hello.user_key {
            Some(key) if !key.is_plausible() => {
                return Err(Fault::new(Code::BadKey, "that cannot be a user key; leave it out to get one"));
            }
            Some(_) => None,
            None => Some(self.doors.new_user_key()),
        };
        let user = made.as_ref().or(hello.user_key.as_ref()).map(Secret::hash).expect("one was given or made");
        self.who = Some(Who { person: Person::Guest(user), client: hello.client });
        self.outbox.push(say::hello(id, made.as_ref()));
        Ok(None)
    }

    fn is_nobody_yet(&self) -> Result<(), Fault> {
        if self.who.is_some() {
            return Err(Fault::bad("hello was said already; to be somebody else, open another connection"));
        }
        Ok(())
    }

    fn create(&self, id: u64, wish: Wish) -> Waiting {
        let (doors, from, maker) = (self.doors.clone(), self.from, self.bearer().cloned());
        Box::pin(async move {
            let created = doors.create(from, maker.as_ref(), &wish, None).await;
            Outcome::Say(match created {
                Ok(made) => say::ok(id, &say::created_body(&made.room, &made.host_key, made.place, &made.about)),
                Err(fault) => say::error(id, &fault),
            })
        })
    }

    fn enter(&mut self, id: u64, room: Address, enter: Enter) -> Result<Option<Waiting>, Fault> {
        let rooms_max = self.doors.config.doors.rooms_per_socket_max;
        if self.rooms.len() >= rooms_max {
            self.rooms.retain(|_, entered| !entered.listening.as_ref().is_some_and(Listening::is_over));
        }
        if !self.rooms.contains_key(&room) && self.rooms.len() >= rooms_max {
            return Err(Fault::new(Code::TooMany, "this socket listens to as many rooms as it may; exit one first"));
        }
        if enter.host_key.is_some() {
            self.doors.may_try_key(self.from)?;
        }
        let host = enter.host_key.as_ref().map(Secret::hash);
        // Entering again replaces the earlier listening; a host key once shown stays shown.
        let host = host.or_else(|| self.rooms.get(&room).and_then(|entered| entered.host));
        let _visiting = self.visiting(&room).map(Box::new);
        self.rooms.insert(room.clone(), Entered { host, _visiting, listening: None });
        let credential = self.credential(&room);
        let client = self.who.as_ref().and_then(|who| who.client.clone());
        // Only tables have patches.
        let encode = if enter.patch && room.kind == Kind::Poker { &self.doors.encode_patches } else { &self.doors.encode };
        let (engine, encode, outbox) = (self.doors.engine.clone(), encode.clone(), self.outbox.clone());
        Ok(Some(Box::pin(async move {
            let entrance = Entrance { request: id, credential, client, outbox, encode, resume: enter.resume };
            let listening = engine.listen(&room, entrance).await;
            Outcome::Entered(id, room, listening)
        })))
    }

    /// A key is tried and not kept: a wrong one is an error, never a lesser view.
    fn look(&self, id: u64, room: Address, key: Option<&Secret>) -> Result<Waiting, Fault> {
        if key.is_some() {
            self.doors.may_try_key(self.from)?;
        }
        let mut credential = self.credential(&room);
        credential.host = key.map(Secret::hash).or(credential.host);
        let (doors, from) = (self.doors.clone(), self.from);
        Ok(Box::pin(async move {
            let seen = doors.engine.look(&room, credential, doors.encode.clone()).await;
            Outcome::Say(match seen {
                Ok(seen) => say::looked(id, &seen.view),
                Err(error) => say::error(id, &doors.fault(from, &error)),
            })
        }))
    }

    /// Without an id nobody waits for an answer, which makes it cheap.
    fn say(&self, id: u64, room: &Address, data: Bytes) -> Option<Waiting> {
        let credential = self.credential(room);
        let listening = self.rooms.get(room).and_then(|entered| entered.listening.as_ref());
        if let (0, Some(listening)) = (id, listening) {
            self.doors.engine.blurt(room, credential, listening, data);
            return None;
        }
        let (doors, room, listener) = (self.doors.clone(), room.clone(), listening.map(|listening| listening.id));
        let from = self.from;
        Some(Box::pin(async move {
            Outcome::Say(match doors.engine.say(&room, credential, listener, data).await {
                Ok(()) => say::done(id),
                Err(error) => say::error(id, &doors.fault(from, &error)),
            })
        }))
    }

    fn act(&self, id: u64, room: Address, number: Option<u64>, command: Command) -> Result<Option<Waiting>, Fault> {
        let ticket = match (number, self.who.as_ref().and_then(|who| who.client.clone())) {
            (None, _) => None,
            (Some(number), Some(client)) => Some((client, number)),
            (Some(_), None) => return Err(Fault::bad(r#"to number commands, name your client in hello: {"client":"…"}"#)),
        };
        let request = Request { credential: self.credential(&room), ticket, command };
        let listening = self.rooms.get(&room).and_then(|entered| entered.listening.as_ref());
        let acting = self.doors.engine.submit_from(&room, request, listening.map(|listening| (listening, id)));
        let acting = acting.map_err(|error| self.doors.fault(self.from, &error))?;
        let (doors, from, listens) = (self.doors.clone(), self.from, listening.is_some());
        Ok(Some(Box::pin(async move {
            match acting.await {
                Ok(Acted { told: true, .. }) => Outcome::Said,
                // Whoever listens learns what changed in its order, or has been read the room anew.
                Ok(Acted { position, again, events, .. }) if again || listens || events.is_empty() => {
                    Outcome::Say(say::acted(id, position, again))
                }
                Ok(Acted { position, events, .. }) => Outcome::Say(told::acted(id, position, None, &events)),
                Err(error) => Outcome::Say(say::error(id, &doors.fault(from, &error))),
            }
        })))
    }

    /// Without an id nobody waits for an answer, which makes it cheap.
    fn show(&self, id: u64, room: &Address, showing: Showing) -> Option<Waiting> {
        let credential = self.credential(room);
        let listening = self.rooms.get(room).and_then(|entered| entered.listening.as_ref());
        if let (0, Some(listening)) = (id, listening) {
            self.doors.engine.flash(credential, listening, showing);
            return None;
        }
        let (doors, room, listener) = (self.doors.clone(), room.clone(), listening.map(|listening| listening.id));
        let from = self.from;
        Some(Box::pin(async move {
            Outcome::Say(match doors.engine.show(&room, credential, listener, showing).await {
                Ok(()) => say::done(id),
                Err(error) => say::error(id, &doors.fault(from, &error)),
            })
        }))
    }

    /// Who speaks is known from the connection, never from the message.
    fn credential(&self, room: &Address) -> Credential {
        let host = self.rooms.get(room).and_then(|entered| entered.host);
        let own = Credential { host, ..Credential::default() };
        let own = match self.who.as_ref().map(|who| &who.person) {
            Some(Person::Visitor(visitor)) => return visitor.credential(room, host),
            Some(Person::Member(attending)) => Credential { session: Some(attending.session.member.clone()), ..own },
            Some(Person::Guest(user)) => Credential { user: Some(*user), ..own },
            None => own,
        };
        self.doors.without_token(room, own)
    }
}
