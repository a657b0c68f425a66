//! A face instead of a view: whoever may look at a game may look at its players.

use bytes::Bytes;
use parlor_engine::{Encode, Farewell, Picture, Welcome};
use parlor_rules::reels::PlayerId;
use parlor_rules::{Address, Kept, State, UserId, Viewer};

/// It is looked through once, and never listens.
pub struct Portrait {
    pub player: PlayerId,
    /// Which picture is meant, as its address says.
    pub tag: Option<String>,
}

impl Encode for Portrait {
    fn name(&self) -> &'static str {
        "portrait"
    }

    /// Nothing for whoever has no face.
    fn shared(&self, _: &Address, picture: &Picture, viewer: &Viewer) -> Bytes {
        match &picture.kept.state {
            State::Reels(game) => {
                let face = game.face(viewer, &self.player, self.tag.as_deref());
                face.map_or_else(Bytes::new, |face| Bytes::copy_from_slice(face.bytes()))
            }
            State::Poker(_) | State::Space(_) => Bytes::new(),
        }
    }

    fn mine(&self, _: &Kept, _: &Viewer) -> Bytes {
        Bytes::new()
    }

    fn view(&self, shared: &Bytes, _: &Bytes) -> Bytes {
        shared.clone()
    }

    fn welcome(&self, _: &Address, _: &Welcome) -> Bytes {
        Bytes::new()
    }

    fn now(&self, _: Option<&UserId>, _: &Bytes) -> Bytes {
        Bytes::new()
    }

    fn gathered(&self, _: &Address, _: &[Bytes]) -> Bytes {
        Bytes::new()
    }

    fn farewell(&self, _: &Address, _: Farewell) -> Bytes {
        Bytes::new()
    }
}
