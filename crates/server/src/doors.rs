//! What all doors share: the engine, the limits, who has been too eager, and whether we are going.

use crate::attendance::Attendance;
use crate::auth::visits::Visits;
use crate::auth::{Auth, Bearer};
use crate::config::Config;
use crate::keys;
use crate::limits::MISSES_PER_MINUTE_MAX;
use crate::throttle::{Pace, Throttle, neighbourhood};
use crate::words::{Json, Protobuf};
use parlor_engine::{Encode, Engine, Error, Sessions};
use parlor_rules::{Address, Code, Credential, Kind, Millis, Place, Span, State, Wish};
use parlor_wire::{Fault, Secret, wish};
use serde_json::Value;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// How often a new room draws another id because its id was taken.
const DRAWS_MAX: usize = 8;

pub struct Doors {
    pub engine: Engine,
    pub sessions: Sessions,
    pub attendance: Arc<Attendance>,
    pub auth: Auth,
    pub visits: Arc<Visits>,
    pub config: Config,
    pub encode: Arc<dyn Encode>,
    /// The same for those who asked for patches.
    pub encode_patches: Arc<dyn Encode>,
    pub protobuf: Arc<dyn Encode>,
    /// Turns true when the server is going.
    pub going: watch::Receiver<bool>,
    creates: Throttle,
    bad_keys: Throttle,
    misses: Throttle,
    logins: Throttle,
    connections: Mutex<Connections>,
}

#[derive(Default)]
struct Connections {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A room that was just made, or made before by the same request.
pub struct Created {
    pub room: Address,
    pub host_key: Secret,
    pub place: Place,
    /// What the kind of room has to say of it.
    pub about: Value,
}

impl Doors {
    pub fn new(engine: Engine, sessions: Sessions, config: Config, going: watch::Receiver<bool>) -> Doors {
        let minute = Span::minutes(1);
        let (creates, bad_keys) = (config.doors.creates_per_minute_max, config.doors.bad_keys_per_minute_max);
        let logins = config.doors.logins_per_minute_max;
        Doors {
            engine,
            sessions,
            attendance: Arc::default(),
            auth: Auth::new(&config.auth),
            visits: Arc::default(),
            config,
            encode: Arc::new(Json { patches: false }),
            encode_patches: Arc::new(Json { patches: true }),
            protobuf: Arc::new(Protobuf),
            going,
            creates: Throttle::new(Pace::per(minute, creates, creates)),
            bad_keys: Throttle::new(Pace::per(minute, bad_keys, bad_keys)),
            misses: Throttle::new(Pace::per(minute, MISSES_PER_MINUTE_MAX, MISSES_PER_MINUTE_MAX)),
            logins: Throttle::new(Pace::per(minute, logins, logins)),
            connections: Mutex::default(),
        }
    }

    pub fn now(&self) -> Millis {
        self.engine.house().clock.now()
    }

    pub fn is_going(&self) -> bool {
        *self.going.borrow()
    }

    /// As many as anybody likes: a key costs nothing until it is used, and a whole office may come from one address.
    pub fn new_user_key(&self) -> Secret {
        keys::user_key(&*self.engine.house().dice)
    }

    /// Makes a room. With an idempotency key, asking again gives the same room and the same host key.
    pub async fn create(
        &self,
        from: IpAddr,
        maker: Option<&Bearer>,
        wish: &Wish,
        idempotency_key: Option<&Secret>,
    ) -> Result<Created, Fault> {
        self.may_make(wish.kind(), maker)?;
        self.may_create(from)?;
        let dice = &*self.engine.house().dice;
        for _ in 0..DRAWS_MAX {
            let (id, host_key) = match idempotency_key {
                Some(key) => keys::derived(wish.kind(), key),
                None => (keys::room_id(wish.kind(), dice), keys::host_key(dice)),
            };
            let room = Address { kind: wish.kind(), id: id.clone() };
            let state = State::create(id, host_key.hash(), wish.clone());
            match self.engine.create(&room, state).await {
                Ok(place) => return Ok(Created { room, host_key, place, about: wish::said(wish) }),
                Err(Error::Exists) if idempotency_key.is_some() => {
                    return self.made_before(room, host_key).await;
                }
                Err(Error::Exists) => {}
                Err(error) => return Err(fault(&error)),
            }
        }
        Err(fault(&Error::Contended))
    }

    /// Whether somebody at this address may show a host key now. After too many wrong ones even a right one is not
    /// looked at, or the limit would limit nothing; hosts who are already in a room are not affected.
    pub fn may_try_key(&self, from: IpAddr) -> Result<(), Fault> {
        if self.bad_keys.is_spent(from, self.now()) { Err(too_many_wrong_keys()) } else { Ok(()) }
    }

    /// Counts a wrong key of another kind: after too many, the address waits.
    pub fn wrong_key(&self, from: IpAddr) -> Fault {
        metrics::counter!("parlor_wrong_keys_total").increment(1);
        if self.bad_keys.take(from, self.now()) { Fault::new(Code::BadKey, "this key is wrong") } else { too_many_wrong_keys() }
    }

    /// Turns an engine error into a fault, and counts wrong keys: after too many, the address waits.
    pub fn fault(&self, from: IpAddr, error: &Error) -> Fault {
        let fault = fault(error);
        if fault.code == Code::BadKey {
            metrics::counter!("parlor_wrong_keys_total").increment(1);
            if !self.bad_keys.take(from, self.now()) {
                return too_many_wrong_keys();
            }
        }
        if fault.code == Code::RoomNotFound {
            self.misses.take(from, self.now());
        }
        fault
    }

    /// Whether somebody at this address may ask for a room they are not in. A game's code is short: whoever guessed too often
    /// is not answered, whether the next guess is right or not.
    pub fn may_guess(&self, from: IpAddr, room: &Address) -> Result<(), Fault> {
        if room.kind == Kind::Reels && self.misses.is_spent(from, self.now()) {
            return Err(Fault::new(Code::TooFast, "too many codes that lead nowhere from your address; wait a minute"));
        }
        Ok(())
    }

    /// A place among the connections, given back when dropped.
    pub fn connect(self: &Arc<Self>, from: IpAddr) -> Result<Connected, Fault> {
        let from = neighbourhood(from);
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        if connections.total >= self.config.doors.connections_max {
            return Err(Fault::new(Code::TooMany, "this server has as many connections as it takes; try again later"));
        }
        let mine = connections.by_address.entry(from).or_default();
        if *mine >= self.config.doors.connections_per_address_max {
            return Err(Fault::new(Code::TooMany, "too many connections from your address; close some, or wait"));
        }
        *mine += 1;
        connections.total += 1;
        metrics::gauge!("parlor_connections").increment(1);
        Ok(Connected { doors: self.clone(), from })
    }

    pub fn connections(&self) -> usize {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).total
    }

    /// Takes one from what an address may log in.
    pub fn may_login(&self, from: IpAddr) -> bool {
        self.logins.take(from, self.now())
    }

    /// What an address may make is counted in rooms as large as a frame.
    pub fn may_create_large(&self, from: IpAddr, bytes: usize) -> Result<(), Fault> {
        (1..bytes.div_ceil(self.config.doors.frame_bytes_max)).try_for_each(|_| self.may_create(from))
    }

    fn may_create(&self, from: IpAddr) -> Result<(), Fault> {
        if self.creates.take(from, self.now()) {
            return Ok(());
        }
        Err(Fault::new(Code::TooFast, "too many new rooms from your address; wait a minute"))
    }

    /// The room an earlier request with the same key made, as it is now.
    async fn made_before(&self, room: Address, host_key: Secret) -> Result<Created, Fault> {
        let credential = Credential { host: Some(host_key.hash()), ..Credential::default() };
        let seen = self.engine.look(&room, credential, self.encode.clone()).await.map_err(|error| fault(&error))?;
        let about = wish::said_in(room.kind, &seen.view);
        Ok(Created { room, host_key, place: seen.place, about })
    }
}

fn too_many_wrong_keys() -> Fault {
    Fault::new(Code::TooFast, "too many wrong keys from your address; wait a minute")
}

/// Detail that is not for the client is logged here, once.
pub fn fault(error: &Error) -> Fault {
    if let Error::Store(inner) = error {
        tracing::error!(error = %inner, "the store refused");
    }
    if let Error::Damaged(inner) = error {
        tracing::error!(error = %inner, "a room is damaged");
    }
    Fault { reason: error.reason(), ..Fault::new(error.code(), error) }
}

pub struct Connected {
    doors: Arc<Doors>,
    from: IpAddr,
}

impl Drop for Connected {
    fn drop(&mut self) {
        let mut connections = self.doors.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.total -= 1;
        if let Some(count) = connections.by_address.get_mut(&self.from) {
            *count -= 1;
            if *count == 0 {
                connections.by_address.remove(&self.from);
            }
        }
        metrics::gauge!("parlor_connections").decrement(1);
    }
}
