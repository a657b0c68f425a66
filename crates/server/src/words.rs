//! What the engine's hub speaks: JSON by `wire` and protobuf by `proto`, each behind the engine's `Encode`.

mod aloud;
mod portrait;

use bytes::Bytes;
use parlor_engine::{Encode, Farewell, Picture, Tell, Welcome};
use parlor_proto::frame::Update;
use parlor_proto::view as proto;
use parlor_rules::{Address, Kept, UserId, Viewer};
use parlor_wire::view::Seen;
use parlor_wire::{say, view};

pub use portrait::Portrait;

/// Two of a kind: those who asked for patches, and those who get whole views.
pub struct Json {
    pub patches: bool,
}

impl Encode for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn shared(&self, room: &Address, picture: &Picture, viewer: &Viewer) -> Bytes {
        let Picture { place, kept, here } = picture;
        view::shared(room, *place, kept.expires, &kept.state.shared(viewer, here))
    }

    fn patches(&self) -> bool {
        self.patches
    }

    fn patch(&self, room: &Address, from: &Picture, to: &Picture, viewer: &Viewer) -> Bytes {
        let shared = |picture: &Picture| picture.kept.state.shared(viewer, &picture.here);
        let (old, new) = (shared(from), shared(to));
        let from = Seen { place: from.place, expires: from.kept.expires, shared: &old };
        let to = Seen { place: to.place, expires: to.kept.expires, shared: &new };
        view::patch(room, &from, &to)
    }

    fn bare(&self, patch: &Bytes) -> Bytes {
        view::bare(patch)
    }

    fn mine(&self, kept: &Kept, viewer: &Viewer) -> Bytes {
        view::mine(&kept.state.mine(viewer))
    }

    fn view(&self, shared: &Bytes, mine: &Bytes) -> Bytes {
        view::splice(shared, mine)
    }

    fn welcome(&self, room: &Address, welcome: &Welcome) -> Bytes {
        say::entered(welcome.request, room, welcome.place, welcome.resumed, (welcome.user.as_ref(), welcome.right))
    }

    fn now(&self, from: Option<&UserId>, data: &Bytes) -> Bytes {
        say::now(from, data)
    }

    fn gathered(&self, room: &Address, messages: &[Bytes]) -> Bytes {
        say::gathered(room, messages)
    }

    fn farewell(&self, room: &Address, farewell: Farewell) -> Bytes {
        match farewell {
            Farewell::Closing(expires) => say::closing(room, expires),
            Farewell::Ended(ending) => say::ended(room, ending),
            Farewell::ComeBack => say::come_back(room),
        }
    }

    fn telling(&self) -> Option<&dyn Tell> {
        Some(self)
    }
}

pub struct Protobuf;

/// No update at all: a stream that finds it ends, and says to come back.
pub const COME_BACK: Bytes = Bytes::new();

impl Encode for Protobuf {
    fn name(&self) -> &'static str {
        "protobuf"
    }

    fn shared(&self, _: &Address, picture: &Picture, viewer: &Viewer) -> Bytes {
        let Picture { place, kept, here } = picture;
        proto::shared(*place, kept.expires, &kept.state.shared(viewer, here))
    }

    fn mine(&self, kept: &Kept, viewer: &Viewer) -> Bytes {
        proto::mine(&kept.state.mine(viewer))
    }

    fn view(&self, shared: &Bytes, mine: &Bytes) -> Bytes {
        Update::Condition.holding(&[shared.clone(), mine.clone()])
    }

    fn welcome(&self, room: &Address, welcome: &Welcome) -> Bytes {
        proto::entered(&room.id, welcome.place, welcome.resumed, welcome.user.as_ref())
    }

    fn now(&self, from: Option<&UserId>, data: &Bytes) -> Bytes {
        proto::message(from, data)
    }

    fn gathered(&self, _: &Address, messages: &[Bytes]) -> Bytes {
        Update::Said.holding(messages)
    }

    fn farewell(&self, _: &Address, farewell: Farewell) -> Bytes {
        match farewell {
            Farewell::Closing(expires) => proto::closing(expires),
            Farewell::Ended(ending) => proto::ended(ending),
            Farewell::ComeBack => COME_BACK,
        }
    }
}
