//! The smallest encoding: a view is one line of text, so a test can say what somebody heard.

use bytes::Bytes;
use parlor_engine::{Encode, Farewell, Picture, Welcome};
use parlor_rules::kinds::{Mine, Shared};
use parlor_rules::poker::Hand;
use parlor_rules::{Address, Kept, UserId, Viewer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Default)]
pub(crate) struct Plain {
    /// While set, showing a room whose id begins with `fragile` panics.
    pub(crate) breaks: Arc<AtomicBool>,
    /// Whether those who are here get a star.
    pub(crate) stars: bool,
    pub(crate) patches: bool,
}

impl Encode for Plain {
    fn name(&self) -> &'static str {
        "plain"
    }

    fn shared(&self, room: &Address, picture: &Picture, viewer: &Viewer) -> Bytes {
        assert!(!(self.breaks.load(Ordering::SeqCst) && room.id.as_str().starts_with("fragile")), "a planted panic");
        let Shared::Poker(shared) = picture.kept.state.shared(viewer, &picture.here) else { unreachable!("a table") };
        let seats = shared.seats.iter().map(|seat| {
            let star = if seat.here && self.stars { "*" } else { "" };
            match &seat.hand {
                Hand::Empty => format!(" {}{star}:_", seat.name),
                Hand::FaceDown => format!(" {}{star}:?", seat.name),
                Hand::FaceUp(card) => format!(" {}{star}:{card}", seat.name),
            }
        });
        format!("view {}{}", picture.place.position.seq, seats.collect::<String>()).into()
    }

    fn patches(&self) -> bool {
        self.patches
    }

    fn patch(&self, room: &Address, from: &Picture, to: &Picture, viewer: &Viewer) -> Bytes {
        let shared = self.shared(room, to, viewer);
        let shown = String::from_utf8_lossy(&shared).into_owned();
        format!("patch {}->{}", from.place.position.seq, shown.trim_start_matches("view ")).into()
    }

    fn mine(&self, kept: &Kept, viewer: &Viewer) -> Bytes {
        let Mine::Poker(mine) = kept.state.mine(viewer) else { unreachable!("a table") };
        let host = if mine.host { " host" } else { "" };
        mine.vote.map_or_else(|| host.to_owned(), |card| format!("{host} mine:{card}")).into()
    }

    fn view(&self, shared: &Bytes, mine: &Bytes) -> Bytes {
        [shared.clone(), mine.clone()].concat().into()
    }

    fn welcome(&self, _room: &Address, welcome: &Welcome) -> Bytes {
        let Welcome { request, place, resumed, .. } = welcome;
        format!("welcome {request} at {}{}", place.position.seq, if *resumed { " resumed" } else { "" }).into()
    }

    fn now(&self, _from: Option<&UserId>, data: &Bytes) -> Bytes {
        data.clone()
    }

    fn gathered(&self, _room: &Address, messages: &[Bytes]) -> Bytes {
        let messages: Vec<_> = messages.iter().map(|message| String::from_utf8_lossy(message)).collect();
        format!("now {}", messages.join(",")).into()
    }

    fn farewell(&self, _room: &Address, farewell: Farewell) -> Bytes {
        match farewell {
            Farewell::Closing(at) => format!("closing {at}"),
            Farewell::Ended(ending) => format!("ended {ending:?}"),
            Farewell::ComeBack => "come back".to_owned(),
        }
        .into()
    }
}
