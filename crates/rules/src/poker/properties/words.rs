//! All that a view says, as one text to search for what must not be in it.

use crate::poker::view::SeatView;
use crate::poker::{Hand, Mine, Shared, Story};

/// All that the shared part says but the deck, which is no secret, and the history, which is compared with what was
/// shown. A new field must say how it is written.
pub(super) fn words(shared: &Shared) -> String {
    let Shared { room, settings, deck: _, admin, revealed, sealed, round, timer, seats, result, story, stories, history: _ } =
        shared;
    let mut words = format!("{room} {settings:?} {admin:?} {revealed} {sealed} {round} {timer:?} {result:?} {story:?}");
    for SeatView { user, name, observer, guest, hand, here } in seats {
        words += &match hand {
            Hand::Empty => format!(" {user} {name} {observer} {guest} {here} {here} -"),
            Hand::FaceDown => format!(" {user} {name} {observer} {guest} {here} {here} ?"),
            Hand::FaceUp(card) => format!(" {user} {name} {observer} {guest} {here} {here} {card}"),
        };
    }
    for Story { id, title, link, estimate } in stories {
        words += &format!(" {id} {title} {link:?} {estimate:?}");
    }
    words
}

pub(super) fn words_of_mine(mine: &Mine) -> String {
    let Mine { user, name, seated, host, may_reveal, observer, vote } = mine;
    format!("{user:?} {name:?} {seated} {host} {may_reveal} {observer} {vote:?}")
}
