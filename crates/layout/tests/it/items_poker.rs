//! A poker room's items are those of document 003, and each act writes what it must and no more.

use crate::items::changed;
use crate::support::{CREATED, Step, done, word};
use parlor_layout::items::{Documents, Done, Table};
use parlor_layout::room_key;
use parlor_rules::poker::history::ROUNDS_MAX;
use parlor_rules::poker::stories::STORIES_MAX;
use parlor_rules::poker::{Command, NewStory, Poker};
use parlor_rules::{Address, Commit, Credential, SecretHash, Span, State};
use parlor_store::items::form::{Form, HEAD};
use parlor_store::items::{Attribute, Attributes};

struct Room {
    address: Address,
    last: Step,
    table: Table,
}

fn host() -> Credential {
    Credential { host: Some(SecretHash::of(b"the host key")), ..Credential::default() }
}

fn person(number: usize) -> Credential {
    Credential::guest(format!("user key {number}").as_bytes())
}

impl Room {
    fn new() -> Room {
        let address: Address = word("poker/12345");
        let table = Poker::new(address.id.clone(), SecretHash::of(b"the host key"), parlor_rules::poker::Deck::default());
        let last = Step::first(&address, State::Poker(table), vec![]);
        let mut room = Room { address, last, table: Table::default() };
        room.lay();
        room
    }

    fn lay(&mut self) -> Done {
        let room = room_key(&self.address);
        let done = self.table.lay(&Documents, &room, &self.last.writes, self.last.commit.at).unwrap();
        assert_eq!(self.table.records(&Documents, &room), Ok(self.last.shelf.records()));
        assert!(done.asked.is_empty(), "a poker room's commit never has to read first");
        done
    }

    fn act(&mut self, acts: &[(Credential, Option<&str>, Command)]) -> Done {
        let at = CREATED + Span::seconds(self.last.seq);
        let mut kept = self.last.kept.clone();
        let mut commit = Commit { at, renews: true, done: vec![] };
        for (who, client, command) in acts {
            let done = done(&kept, at, 0, who, *client, &parlor_rules::Command::Poker(command.clone())).unwrap();
            kept.apply(self.last.seq + 1, &Commit { at, renews: true, done: vec![done.clone()] });
            commit.done.push(done);
        }
        self.last = self.last.then(&self.address, commit);
        self.lay()
    }

    fn join(&mut self, number: usize) -> String {
        self.act(&[(person(number), Some("tab"), Command::Join { name: Some(word("Ana")), observer: None })]);
        format!("USER:{}", person(number).user_id(&self.address.id).unwrap())
    }
}

fn vote(card: &str) -> Command {
    Command::Vote(word(card))
}

fn number(number: u64) -> Attribute {
    Attribute::Number(number.to_string())
}

#[test]
fn the_items_are_those_of_document_003() {
    let mut room = Room::new();
    let sk = room.join(1);
    room.act(&[(person(1), Some("tab"), vote("∞"))]);
    let head = &room.table.0[HEAD];
    let hash = |secret: &[u8]| Attribute::Text(format!("sha256:{}", SecretHash::of(secret).hex()));
    assert_eq!(head["hostKey"], hash(b"the host key"));
    assert_eq!(head["validSizes"], Attribute::text("1 2 3 5 8 13 20 ? ∞"));
    assert_eq!(head["isRevealed"], Attribute::Bool(false));
    assert_eq!(head["createdOn"], number(CREATED.0));
    assert_eq!(head["updatedOn"], number(CREATED.0 + 1000));
    let user = &room.table.0[&sk];
    assert_eq!(user["userId"], Attribute::text(&sk["USER:".len()..]));
    assert_eq!(user["username"], Attribute::text("Ana"));
    assert_eq!(user["vote"], Attribute::text("∞"));
    assert_eq!(user["userKey"], hash(b"user key 1"));
    assert_eq!(user["createdOn"], number(CREATED.0 + 1000), "when the person came");
    assert_eq!(user["updatedOn"], number(CREATED.0 + 2000), "when the vote was cast");
    let done = room.act(&[(host(), None, Command::Show)]);
    assert_eq!(changed(&done.changes), ["update ROOM", "update ROUNDS:0"]);
    assert_eq!(room.table.0[HEAD]["isRevealed"], Attribute::Bool(true));
}

#[test]
fn a_vote_writes_its_voters_item_alone() {
    let mut room = Room::new();
    let ana = room.join(1);
    let bo = room.join(2);
    let done = room.act(&[(person(2), Some("tab"), vote("5"))]);
    assert_eq!(changed(&done.changes), [format!("update {bo}")]);
    // Nobody else's item changes, and of the room's nothing.
    assert!(!room.table.0[&ana].contains_key("vote"));
    let done = room.act(&[(person(2), Some("tab"), Command::TakeBack)]);
    assert_eq!(changed(&done.changes), [format!("update {bo}")]);
    assert!(!room.table.0[&bo].contains_key("vote") && !room.table.0[&bo].contains_key("round"));
}

/// Document 001's join puts the room anew; here coming changes what is about the comer, and the first one becomes admin.
#[test]
fn h42_joining_changes_nothing_else() {
    let mut room = Room::new();
    room.join(1);
    let before = room.table.clone();
    let bo = room.join(2);
    let mut after = room.table.clone();
    after.0.remove(&bo).unwrap();
    assert_eq!(after, before);
}

/// However many voted: the room's item, and nothing besides.
#[test]
fn h124_a_new_round_writes_the_room_alone() {
    let mut room = Room::new();
    let users: Vec<String> = (0..200).map(|number| room.join(number)).collect();
    let cast = |room: &mut Room| {
        (0..200).for_each(|number| drop(room.act(&[(person(number), Some("tab"), vote("5"))])));
    };
    for command in [Command::Reset, Command::SetDeck(word("XS S 5")), Command::Reset] {
        cast(&mut room);
        let round = room.table.0[HEAD]["round"].clone();
        let done = room.act(&[(host(), None, command)]);
        assert_eq!(changed(&done.changes), ["update ROOM"]);
        assert_ne!(room.table.0[HEAD]["round"], round);
        // The old votes still lie there, and count for nothing.
        assert!(users.iter().all(|sk| room.table.0[sk]["round"] == round && room.table.0[sk].contains_key("vote")));
    }
    // An old vote goes when its seat is written again.
    room.act(&[(person(7), Some("tab"), Command::Join { name: Some(word("Zoe")), observer: None })]);
    assert!(!room.table.0[&users[7]].contains_key("vote"));
    assert_eq!(room.table.0[&users[7]]["username"], Attribute::text("Zoe"));
}

/// In one commit or in two: a vote belongs to exactly one round.
#[test]
fn h123_h124_a_vote_beside_a_reset_is_of_one_round() {
    let mut room = Room::new();
    let (ana, bo) = (room.join(1), room.join(2));
    room.act(&[(person(1), Some("tab"), vote("5")), (host(), None, Command::Reset), (person(2), Some("tab"), vote("8"))]);
    let round = |sk: &str| room.table.0[sk].get("round").cloned();
    assert_eq!((round(&ana), round(&bo), round(HEAD)), (None, Some(number(2)), Some(number(2))));
    let Ok(kept) = parlor_layout::wake(&room.address, &room.table.records(&Documents, &room_key(&room.address)).unwrap()) else {
        panic!("it wakes")
    };
    let State::Poker(table) = kept.state else { panic!("a table") };
    let votes: Vec<_> = table.in_order().iter().map(|(_, seat)| seat.vote.as_ref().map(ToString::to_string)).collect();
    assert_eq!(votes, [None, Some("8".to_owned())]);
}

/// Everybody's stories at once, and somebody forgotten who was in every round: still one transaction.
#[test]
fn the_largest_acts_fit_in_a_transaction() {
    let mut room = Room::new();
    room.join(1);
    let story = |n: usize| NewStory { title: word(&format!("Story {n}")), link: None, estimate: None };
    let done = room.act(&[(host(), None, Command::AddStories { stories: (0..STORIES_MAX).map(story).collect(), at: None })]);
    assert!(done.changes.len() <= 96, "{} items", done.changes.len());
    for _ in 0..ROUNDS_MAX + 5 {
        room.act(&[(person(1), Some("tab"), vote("5")), (host(), None, Command::Show)]);
        room.act(&[(host(), None, Command::Reset)]);
    }
    let done = room.act(&[(person(1), Some("tab"), Command::Forget(None))]);
    assert!(done.changes.len() > ROUNDS_MAX / 2 && done.changes.len() <= 96, "{} items", done.changes.len());
    let litter = Documents.litter(&room_key(&room.address), &room.table.0[HEAD], &room.table.items());
    assert_eq!(litter, ["ROUNDS:0", "ROUNDS:1", "ROUNDS:2"], "rounds 1 to 5 made way, and 0 never was");
}

#[test]
fn h129_who_leaves_leaves_nothing_but_receipts() {
    let mut room = Room::new();
    room.join(1);
    let bo = room.join(2);
    room.act(&[(person(2), Some("tab"), vote("5"))]);
    room.act(&[(person(2), Some("tab"), Command::Leave)]);
    let left: Attributes = room.table.0[&bo].clone();
    assert_eq!(left.keys().map(String::as_str).collect::<Vec<_>>(), ["client:tab", "createdOn", "updatedOn", "userId"]);
}
