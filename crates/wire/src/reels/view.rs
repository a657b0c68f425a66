//! The game in words: what a screen shows, with the document's broadcasts that stand now, and what only you see.
//!
//! A broadcast is part of the view as long as it says something true, so whoever missed it has not missed it.

use parlor_rules::UserId;
use parlor_rules::reels::avatar::avatar_url;
use parlor_rules::reels::view::{ItemView, Ranked as Rank, SeatView};
use parlor_rules::reels::{Honoured, Mine, PlayerId, SenderId, Shared, Stage};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{PartialSchema, ToSchema};

/// The game as a screen shows it.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Screen {
    pub code: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// lobby, game or over.
    pub phase: String,
    /// idle, vote, reveal_wait or round_recap.
    pub status: String,
    pub rounds_total: usize,
    #[schema(required)]
    pub current_round_id: Option<String>,
    /// From 1.
    #[schema(required)]
    pub round_number: Option<usize>,
    /// From 0; at the end of a round, how many items it had.
    #[schema(required)]
    pub current_item_index: Option<usize>,
    /// Of this round.
    #[schema(required)]
    pub items_total: Option<usize>,
    /// After how many seconds a vote closes by itself.
    #[schema(required)]
    pub vote_seconds: Option<u64>,
    /// The seats that are in the game.
    pub players_visible: Vec<SeatWords>,
    /// All seats, for the Master.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players_all: Option<Vec<MasterSeat>>,
    /// All senders, for the Master.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub senders_all: Option<Vec<SenderWords>>,
    pub broadcasts: Broadcasts,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct SeatWords {
    pub player_id: String,
    pub name: String,
    /// Where on this server the face is.
    #[schema(required)]
    pub avatar_url: Option<String>,
    /// free or taken.
    pub status: String,
    /// Whoever has the seat is connected now.
    pub here: bool,
    /// Phones learn of an item's points when it has ended.
    pub score_total: u64,
    /// Of this round.
    pub points_round: u64,
}

/// A seat as the Master sees it.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct MasterSeat {
    pub player_id: String,
    pub name: String,
    #[schema(required)]
    pub avatar_url: Option<String>,
    /// free or taken.
    pub status: String,
    pub here: bool,
    pub score_total: u64,
    pub points_round: u64,
    /// Whom they play for; null for a seat added by hand.
    #[schema(required)]
    pub sender_id: Option<String>,
    pub is_sender_bound: bool,
    pub active: bool,
    /// Whose device has the seat.
    #[schema(required)]
    pub user_id: Option<String>,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct SenderWords {
    pub sender_id: String,
    pub name: String,
    pub active: bool,
    pub reels_count: u64,
}

/// The document's broadcasts that stand now.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq, Default)]
pub struct Broadcasts {
    #[serde(rename = "GAME_START", default, skip_serializing_if = "Option::is_none")]
    pub game_start: Option<GameStart>,
    #[serde(rename = "NEW_ITEM", default, skip_serializing_if = "Option::is_none")]
    pub new_item: Option<NewItem>,
    #[serde(rename = "START_VOTE", default, skip_serializing_if = "Option::is_none")]
    pub start_vote: Option<StartVote>,
    #[serde(rename = "PLAYER_VOTED", default, skip_serializing_if = "Option::is_none")]
    pub player_voted: Option<PlayerVoted>,
    #[serde(rename = "VOTE_RESULTS", default, skip_serializing_if = "Option::is_none")]
    pub vote_results: Option<VoteResults>,
    #[serde(rename = "ROUND_RECAP", default, skip_serializing_if = "Option::is_none")]
    pub round_recap: Option<RoundRecap>,
    #[serde(rename = "ROUND_FINISHED", default, skip_serializing_if = "Option::is_none")]
    pub round_finished: Option<RoundFinished>,
    #[serde(rename = "GAME_OVER", default, skip_serializing_if = "Option::is_none")]
    pub game_over: Option<GameOver>,
}

/// From the start of the game.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct GameStart {
    pub round_order: Vec<String>,
}

/// Until the item ends. Phones see the reel, k and the senders from the opening on.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct NewItem {
    pub round_id: String,
    pub item_id: String,
    pub item_index: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reel: Option<Reel>,
    /// How many sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slots_total: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub senders_selectable: Option<Vec<Named>>,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Reel {
    pub reel_id: String,
    pub url: String,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Named {
    pub sender_id: String,
    pub name: String,
}

/// While the vote is open.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct StartVote {
    pub round_id: String,
    pub item_id: String,
    pub expected_player_ids: Vec<String>,
    /// In milliseconds since the epoch.
    pub opened_at: u64,
    /// When it closes by itself.
    #[schema(required)]
    pub closes_at: Option<u64>,
    /// Whether the Master asked for that.
    pub forced: bool,
}

/// Who has voted on the item; not what.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct PlayerVoted {
    pub player_ids: Vec<String>,
}

/// What the vote came to, for the Master, until the item ends.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct VoteResults {
    pub round_id: String,
    pub item_id: String,
    pub true_senders: Vec<Named>,
    pub players: Vec<Guess>,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Guess {
    pub player_id: String,
    pub selections: Vec<String>,
    pub correct: Vec<String>,
    pub incorrect: Vec<String>,
    pub points_gained: u64,
    pub score_total: u64,
}

/// At the end of a round, best first.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct RoundRecap {
    pub round_id: String,
    pub players: Vec<Points>,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Points {
    pub player_id: String,
    pub points_round: u64,
    pub score_total: u64,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct RoundFinished {
    pub round_id: String,
    /// Whether no other follows.
    pub last: bool,
}

/// When the game is over, until the room ends.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct GameOver {
    pub ranking: Vec<Ranked>,
    pub awards: Vec<Award>,
}

/// Equals share a rank.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Ranked {
    pub rank: u64,
    pub player_id: String,
    pub name: String,
    pub score_total: u64,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct Award {
    /// best_guesser (value: percent right), fastest (milliseconds a vote), most_mysterious and open_book (percent of guesses
    /// that found them), usual_suspect (how often wrongly named).
    pub award: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_id: Option<String>,
    pub name: String,
    pub value: u64,
}

/// The part that only you see.
#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct ReelsMe {
    #[schema(required)]
    pub user_id: Option<String>,
    pub host: bool,
    /// The seat this device has.
    #[schema(required)]
    pub player_id: Option<String>,
    /// Whether you may vote now.
    pub expected: bool,
    /// Your vote on this item.
    #[schema(required)]
    pub selections: Option<Vec<String>>,
    /// The seat this device had, and why it has it no longer.
    #[schema(required)]
    pub slot_invalidated: Option<SlotInvalidated>,
}

#[derive(Serialize, Deserialize, ToSchema, Clone, Debug, PartialEq)]
pub struct SlotInvalidated {
    pub player_id: String,
    /// deactivated, released, reset or deleted.
    pub reason: String,
}

/// All these words by name, for whoever describes them to others.
pub fn schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("Screen", json!(Screen::schema())),
        ("SeatWords", json!(SeatWords::schema())),
        ("MasterSeat", json!(MasterSeat::schema())),
        ("SenderWords", json!(SenderWords::schema())),
        ("Broadcasts", json!(Broadcasts::schema())),
        ("GameStart", json!(GameStart::schema())),
        ("NewItem", json!(NewItem::schema())),
        ("Reel", json!(Reel::schema())),
        ("Named", json!(Named::schema())),
        ("StartVote", json!(StartVote::schema())),
        ("PlayerVoted", json!(PlayerVoted::schema())),
        ("VoteResults", json!(VoteResults::schema())),
        ("Guess", json!(Guess::schema())),
        ("RoundRecap", json!(RoundRecap::schema())),
        ("Points", json!(Points::schema())),
        ("RoundFinished", json!(RoundFinished::schema())),
        ("GameOver", json!(GameOver::schema())),
        ("Ranked", json!(Ranked::schema())),
        ("Award", json!(Award::schema())),
        ("ReelsMe", json!(ReelsMe::schema())),
        ("SlotInvalidated", json!(SlotInvalidated::schema())),
    ]
}

impl From<&Shared> for Screen {
    fn from(shared: &Shared) -> Screen {
        let master = shared.senders.is_some();
        let seats = || shared.seats.iter().filter(|seat| seat.player.active);
        let senders = shared.senders.as_ref().map(|senders| {
            let sender = |sender: &parlor_rules::reels::Sender| SenderWords {
                sender_id: sender.id.to_string(),
                name: sender.name.to_string(),
                active: sender.active,
                reels_count: sender.reels_count,
            };
            senders.iter().map(sender).collect()
        });
        Screen {
            code: shared.code.to_string(),
            title: shared.settings.title.as_ref().map(ToString::to_string),
            phase: shared.stage.phase().to_owned(),
            status: shared.stage.status().to_owned(),
            rounds_total: shared.round_order.len(),
            current_round_id: shared.round.and_then(|round| shared.round_order.get(round)).map(ToString::to_string),
            round_number: shared.round.map(|round| round + 1),
            current_item_index: shared.item_index,
            items_total: shared.items_total,
            vote_seconds: shared.settings.vote_seconds,
            players_visible: seats().map(|seat| seat_words(shared, seat)).collect(),
            players_all: master.then(|| shared.seats.iter().map(|seat| master_seat(shared, seat)).collect()),
            senders_all: senders,
            broadcasts: broadcasts(shared),
        }
    }
}

fn seat_words(shared: &Shared, seat: &SeatView) -> SeatWords {
    SeatWords {
        player_id: seat.player.id.to_string(),
        name: seat.player.name.to_string(),
        avatar_url: seat.avatar.as_ref().map(|tag| avatar_url(&shared.code, &seat.player.id, tag)),
        status: if seat.taken { "taken" } else { "free" }.to_owned(),
        here: seat.here,
        score_total: seat.score,
        points_round: seat.delta,
    }
}

fn master_seat(shared: &Shared, seat: &SeatView) -> MasterSeat {
    let SeatWords { player_id, name, avatar_url, status, here, score_total, points_round } = seat_words(shared, seat);
    MasterSeat {
        player_id,
        name,
        avatar_url,
        status,
        here,
        score_total,
        points_round,
        sender_id: seat.player.sender.as_ref().map(ToString::to_string),
        is_sender_bound: seat.player.sender.is_some(),
        active: seat.player.active,
        user_id: seat.holder.as_ref().map(UserId::to_string),
    }
}

fn broadcasts(shared: &Shared) -> Broadcasts {
    let begun = shared.stage != Stage::Lobby;
    let item = shared.item.as_ref();
    let voted = || PlayerVoted { player_ids: texts(&shared.voted) };
    let round = shared.round.and_then(|round| shared.round_order.get(round)).filter(|_| shared.stage == Stage::RoundRecap);
    Broadcasts {
        game_start: begun.then(|| GameStart { round_order: texts(&shared.round_order) }),
        new_item: item.map(new_item),
        start_vote: shared.vote.as_ref().zip(item).map(|(vote, item)| StartVote {
            round_id: item.round.to_string(),
            item_id: item.id.to_string(),
            expected_player_ids: vote.expected.iter().map(PlayerId::to_string).collect(),
            opened_at: vote.opened.0,
            closes_at: vote.closes.map(|closes| closes.0),
            forced: vote.forced,
        }),
        player_voted: matches!(shared.stage, Stage::Vote | Stage::RevealWait).then(voted),
        vote_results: shared.results.as_ref().zip(item).map(|(results, item)| VoteResults {
            round_id: item.round.to_string(),
            item_id: item.id.to_string(),
            true_senders: results.true_senders.iter().map(named).collect(),
            players: results.guesses.iter().map(|(guess, total)| guess_words(guess, *total)).collect(),
        }),
        round_recap: round.map(|round| RoundRecap { round_id: round.to_string(), players: recap(&shared.ranking) }),
        round_finished: round
            .map(|round| RoundFinished { round_id: round.to_string(), last: shared.round_order.last() == Some(round) }),
        game_over: (shared.stage == Stage::Over).then(|| game_over(shared)),
    }
}

fn new_item(item: &ItemView) -> NewItem {
    let open = item.open.as_ref();
    NewItem {
        round_id: item.round.to_string(),
        item_id: item.id.to_string(),
        item_index: item.index,
        reel: open.map(|open| Reel { reel_id: open.reel.id.to_string(), url: open.reel.url.to_string() }),
        k: open.map(|open| open.k),
        slots_total: open.map(|open| open.k),
        senders_selectable: open.map(|open| open.selectable.iter().map(named).collect()),
    }
}

fn guess_words(guess: &parlor_rules::reels::Guess, total: u64) -> Guess {
    Guess {
        player_id: guess.player.to_string(),
        selections: texts(&guess.selections),
        correct: texts(&guess.correct),
        incorrect: texts(&guess.incorrect),
        points_gained: guess.points(),
        score_total: total,
    }
}

fn recap(ranking: &[Rank]) -> Vec<Points> {
    let points = |rank: &Rank| Points { player_id: rank.player.to_string(), points_round: rank.delta, score_total: rank.score };
    ranking.iter().map(points).collect()
}

fn game_over(shared: &Shared) -> GameOver {
    let ranked = |rank: &Rank| Ranked {
        rank: rank.rank,
        player_id: rank.player.to_string(),
        name: rank.name.to_string(),
        score_total: rank.score,
    };
    let awards = shared.awards.iter().map(|honour| {
        let (player_id, sender_id) = match &honour.given.to {
            Honoured::Player(player) => (Some(player.to_string()), None),
            Honoured::Sender(sender) => (None, Some(sender.to_string())),
        };
        let (award, name) = (honour.given.award.name().to_owned(), honour.name.to_string());
        Award { award, player_id, sender_id, name, value: honour.given.value }
    });
    GameOver { ranking: shared.ranking.iter().map(ranked).collect(), awards: awards.collect() }
}

fn named((id, name): &(SenderId, parlor_rules::Name)) -> Named {
    Named { sender_id: id.to_string(), name: name.to_string() }
}

fn texts(ids: &[impl ToString]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

impl From<&Mine> for ReelsMe {
    fn from(mine: &Mine) -> ReelsMe {
        ReelsMe {
            user_id: mine.user.as_ref().map(UserId::to_string),
            host: mine.host,
            player_id: mine.player.as_ref().map(PlayerId::to_string),
            expected: mine.expected,
            selections: mine.selections.as_ref().map(|selections| texts(selections)),
            slot_invalidated: mine
                .lost
                .as_ref()
                .map(|lost| SlotInvalidated { player_id: lost.player.to_string(), reason: lost.why.name().to_owned() }),
        }
    }
}
