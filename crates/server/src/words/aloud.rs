//! How JSON speaks of rooms that tell.

use super::Json;
use bytes::Bytes;
use parlor_engine::{News, Picture, Reading, Step, Tell};
use parlor_rules::kinds::{Class, Mine, Shared};
use parlor_rules::space::Page;
use parlor_rules::{self as rules, Address, Done, Event, Mark, Position, UserId, Viewer};
use parlor_wire::space::people::{self, People};
use parlor_wire::space::snapshot::{self, Bookmark};
use parlor_wire::space::{pages, told};

impl Tell for Json {
    fn done(&self, seq: u64, done: &Done, class: Class, number: Option<u64>) -> Option<Bytes> {
        told::done(seq, done, class, number)
    }

    fn told(&self, room: &Address, step: &Step, pieces: &[Bytes]) -> Bytes {
        let Step { base, at, mark, expires } = *step;
        told::frame(room, base, at, mark, expires, pieces)
    }

    fn acted(&self, request: u64, at: Position, mark: Option<Mark>, events: &[Event]) -> Bytes {
        told::acted(request, at, mark, events)
    }

    fn reading(&self, viewer: &Viewer) -> Box<dyn Reading> {
        Box::new(Aloud { viewer: viewer.clone(), bookmark: Bookmark::Start })
    }

    fn presence(&self, room: &Address, news: &News) -> Bytes {
        let of = news.of.iter().map(|(presence, shown)| (presence, shown.set.as_slice(), shown.unset.as_slice()));
        people::frame(room, &People { whole: news.whole, who: &news.who, gone: &news.gone, of: of.collect() })
    }

    fn people(&self, shown: &[(UserId, Option<rules::Json>, rules::Json)]) -> Bytes {
        people::page(shown)
    }

    fn page(&self, picture: &Picture, viewer: &Viewer, page: &Page) -> Option<Bytes> {
        let Shared::Space(shared) = picture.kept.state.shared(viewer, &picture.here) else { return None };
        match page {
            Page::Map { map, after, limit } => pages::map(&shared, map, after.as_ref(), *limit),
            Page::Entry { map, key } => pages::entry(&shared, map, key),
            Page::List { list, after, limit } => pages::list(&shared, list, after.as_ref(), *limit),
            Page::Presence { .. } => None,
        }
    }
}

/// A space being read to one listener.
struct Aloud {
    viewer: Viewer,
    bookmark: Bookmark,
}

impl Reading for Aloud {
    fn next(&mut self, room: &Address, picture: &Picture, bytes: usize) -> (Bytes, bool) {
        let (shared, mine) = (picture.kept.state.shared(&self.viewer, &picture.here), picture.kept.state.mine(&self.viewer));
        let (Shared::Space(shared), Mine::Space(mine)) = (shared, mine) else { return (Bytes::new(), true) };
        let Picture { place, kept, .. } = picture;
        let frame = snapshot::frame(room, *place, kept.expires, (&shared, &mine), &mut self.bookmark, bytes);
        (frame, self.bookmark == Bookmark::End)
    }
}
