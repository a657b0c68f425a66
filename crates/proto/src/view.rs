//! What a stream says, as messages: made from `wire`'s views, in the same two pieces.

use crate::frame::{Update, bytes};
use crate::v1::{Closing, Count, Ended, Entered, Me, Message, Outcome, Round, Story, Table, User};
use ::bytes::{Bytes, BytesMut};
use parlor_rules::kinds::{Mine, Shared};
use parlor_rules::{Ending, Millis, Place, RoomId, UserId};
use parlor_wire::poker;
use prost::encoding;

/// Everything of a `RoomCondition` but `me`: messages one after the other are one message.
pub fn shared(place: Place, expires: Option<Millis>, shared: &Shared) -> Bytes {
    let mut piece = BytesMut::with_capacity(512);
    encoding::string::encode(1, &place.position.to_string(), &mut piece);
    encoding::string::encode(2, &place.mark.to_string(), &mut piece);
    if let Some(Millis(expires)) = expires {
        encoding::uint64::encode(3, &expires, &mut piece);
    }
    match shared {
        Shared::Poker(shared) => encoding::message::encode(4, &Table::from(poker::Table::from(shared)), &mut piece),
        Shared::Space(_) | Shared::Reels(_) => {} // gRPC has doors to tables only.
    }
    piece.freeze()
}

pub fn mine(mine: &Mine) -> Bytes {
    let mut piece = BytesMut::with_capacity(64);
    match mine {
        Mine::Poker(mine) => encoding::message::encode(5, &Me::from(poker::Me::from(mine)), &mut piece),
        Mine::Space(_) | Mine::Reels(_) => {}
    }
    piece.freeze()
}

pub fn entered(room: &RoomId, place: Place, resumed: bool, user: Option<&UserId>) -> Bytes {
    let (at, mark) = (place.position.to_string(), place.mark.to_string());
    let entered = Entered { room_id: room.to_string(), at, mark, resumed, user_id: user.map(UserId::to_string) };
    Update::Entered.holding(&[bytes(&entered)])
}

/// One message of a `Said`; several of them one after the other are one `Said`.
pub fn message(from: Option<&UserId>, data: &Bytes) -> Bytes {
    let message = Message { from: from.map(UserId::to_string), data: String::from_utf8_lossy(data).into_owned() };
    let mut piece = BytesMut::with_capacity(data.len() + 64);
    encoding::message::encode(1, &message, &mut piece);
    piece.freeze()
}

pub fn closing(expires: Millis) -> Bytes {
    Update::Closing.holding(&[bytes(&Closing { expires_at: expires.0 })])
}

pub fn ended(ending: Ending) -> Bytes {
    Update::Ended.holding(&[bytes(&Ended { reason: parlor_wire::say::reason(ending).to_owned() })])
}

impl From<poker::Table> for Table {
    fn from(table: poker::Table) -> Table {
        Table {
            room_id: table.room_id,
            name: table.name,
            valid_sizes: table.valid_sizes,
            admin_user_id: table.admin_user_id,
            is_revealed: table.is_revealed,
            sealed: table.sealed,
            round: table.round,
            timer_ends: table.timer_ends,
            timer_reveals: table.timer_reveals,
            auto_reveal: table.auto_reveal,
            reveal_by: table.reveal_by,
            life_minutes: table.life_minutes,
            users: table.users.into_iter().map(User::from).collect(),
            result: table.result.map(Outcome::from),
            story_id: table.story_id,
            stories: table.stories.into_iter().map(Story::from).collect(),
            history: table.history.into_iter().map(Round::from).collect(),
        }
    }
}

impl From<poker::User> for User {
    fn from(user: poker::User) -> User {
        let poker::User { user_id, user_name, has_vote, vote, observer, guest, here } = user;
        User { user_id, user_name, has_vote, vote, observer, guest, here }
    }
}

impl From<poker::Outcome> for Outcome {
    fn from(outcome: poker::Outcome) -> Outcome {
        let poker::Outcome { votes, average, median, mode, agreement, unanimous, distribution } = outcome;
        let count = |poker::Count { card, count }| Count { card, count };
        let distribution = distribution.into_iter().map(count).collect();
        Outcome { votes, average, median, mode, agreement, unanimous, distribution }
    }
}

impl From<poker::Story> for Story {
    fn from(story: poker::Story) -> Story {
        let poker::Story { story_id, title, link, estimate } = story;
        Story { story_id, title, link, estimate }
    }
}

impl From<poker::Round> for Round {
    fn from(round: poker::Round) -> Round {
        let poker::Round { round, at, story_id, title, result } = round;
        Round { round, at, story_id, title, result: Some(result.into()) }
    }
}

impl From<poker::Me> for Me {
    fn from(me: poker::Me) -> Me {
        let poker::Me { user_id, user_name, seated, host, may_reveal, observer, vote } = me;
        Me { user_id, user_name, seated, host, may_reveal, observer, vote }
    }
}
