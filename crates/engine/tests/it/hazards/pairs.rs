//! Two at once: whatever they do, what comes out is what one after the other would have given.

use super::{Hall, halls};
use crate::support::Table;
use parlor_engine::Error;
use std::sync::Arc;

/// Who does what.
type Doing = (&'static str, &'static str);

/// Every command that changes a round, a seat or the room is in it.
const ACTS: [Doing; 14] = [
    ("cy", "join"),
    ("cy", "leave"),
    ("bo", "join"),
    ("bo", "vote 5"),
    ("bo", "vote 8"),
    ("bo", "take back"),
    ("bo", "leave"),
    ("ana", "show"),
    ("ana", "hide"),
    ("ana", "reset"),
    ("ana", "kick bo"),
    ("ana", "leave"),
    ("ana", "auto"),
    ("host", "delete"),
];

/// What was answered and what is left: all that anybody can tell of an order.
type Outcome = (String, String, String);

async fn set_up(table: &Table, shown: bool) {
    table.create().await;
    for (who, wish) in [("ana", "join"), ("bo", "join"), ("ana", "vote 3")] {
        table.act(who, wish).await.unwrap();
    }
    if shown {
        table.act("ana", "show").await.unwrap();
    }
}

fn answer(acted: Result<parlor_engine::Acted, Error>) -> String {
    acted.map_or_else(|error| format!("{:?}", error.code()), |_| "ok".to_owned())
}

/// The room without its position: acts that waited together share one.
async fn left(table: &Table) -> String {
    let mut left = String::new();
    for who in ["ana", "bo", "cy"] {
        let seen = table.sees(who).await.unwrap_or_else(|error| format!("{:?}", error.code()));
        left += seen.trim_start_matches("view ").trim_start_matches(|c: char| c.is_ascii_digit());
        left += ";";
    }
    left
}

async fn in_order(one: Doing, two: Doing, shown: bool) -> Outcome {
    let table = Table::new().await.at("other");
    set_up(&table, shown).await;
    let first = answer(table.act(one.0, one.1).await);
    let second = answer(table.act(two.0, two.1).await);
    (first, second, left(&table).await)
}

async fn at_once(hall: &Hall, room: &str, one: Doing, two: Doing, shown: bool) -> Outcome {
    let [here, there] = hall.room(room);
    set_up(&here, shown).await;
    there.sees("ana").await.unwrap();
    let doing = |table: &Arc<Table>, (who, wish): Doing| {
        let table = table.clone();
        tokio::spawn(async move { answer(table.act(who, wish).await) })
    };
    let (first, second) = (doing(&here, one), doing(&there, two));
    let (first, second) = (first.await.unwrap(), second.await.unwrap());
    (first, second, left(&hall.kept(room)).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h04_any_two_commands_at_once_end_as_one_after_the_other() {
    let halls = halls();
    for shown in [false, true] {
        for (i, one) in ACTS.into_iter().enumerate() {
            for (j, two) in ACTS.into_iter().enumerate() {
                let forth = in_order(one, two, shown).await;
                let (second, first, left) = in_order(two, one, shown).await;
                let back = (first, second, left);
                for hall in &halls {
                    let got = at_once(hall, &format!("room-{i}-{j}-{shown}"), one, two, shown).await;
                    assert!(
                        got == forth || got == back,
                        "{} {one:?} {two:?}: {got:?} is neither {forth:?} nor {back:?}",
                        hall.name
                    );
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h35_who_joins_while_the_last_one_leaves_has_a_seat_in_a_room_that_is_there() {
    for hall in halls() {
        for n in 0..50 {
            let room = format!("room-{n}");
            let [here, there] = hall.room(&room);
            here.create().await;
            here.act("ana", "join").await.unwrap();
            let leaving = tokio::spawn(async move { here.act("ana", "leave").await });
            let joining = tokio::spawn(async move { there.act("bo", "join").await });
            leaving.await.unwrap().unwrap();
            joining.await.unwrap().unwrap();
            let seen = hall.kept(&room).sees("bo").await.unwrap();
            assert!(seen.ends_with(" bo:_ host"), "{}: {seen}", hall.name);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn x60_a_room_that_is_not_there_is_said_to_be_not_there_every_time() {
    for hall in halls() {
        for n in 0..500 {
            let table = hall.tables[0].at(&format!("room-{}", n % 5));
            assert_eq!(table.sees("ana").await, Err(Error::NoRoom), "{}", hall.name);
            assert_eq!(table.act("ana", "join").await, Err(Error::NoRoom), "{}", hall.name);
        }
    }
}
