//! Two engines on one store are rivals at the spine; they lose nothing and agree on one order.

use crate::support::table::clock;
use crate::support::{Table, limits};
use parlor_engine::Limits;
use parlor_store::{Embedded, Memory, Options};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

fn rivals(count: u64) -> Vec<Arc<Table>> {
    let clock = clock();
    let store = Arc::new(Memory::new(clock.clone()));
    (1..=count).map(|node| Arc::new(Table::rival(store.clone(), clock.clone(), limits(), node))).collect()
}

/// Two on each store.
fn pairs() -> [(Vec<Arc<Table>>, Option<TempDir>); 2] {
    let clock = clock();
    let folder = tempfile::tempdir().unwrap();
    let options = Options { free_bytes_min: 0, ..Options::default() };
    let store = Arc::new(Embedded::open(folder.path(), clock.clone(), options).unwrap());
    let embedded = [1, 2].map(|node| Arc::new(Table::rival(store.clone(), clock.clone(), limits(), node)));
    [(rivals(2), None), (embedded.into(), Some(folder))]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h18_of_two_to_sixteen_first_joiners_exactly_one_is_admin() {
    for (count, (tables, _folder)) in (2..=16).flat_map(|count| pairs().map(|pair| (count, pair))) {
        tables[0].create().await;
        let joins: Vec<_> = (0..count)
            .map(|n| {
                let table = tables[n % 2].clone();
                tokio::spawn(async move { table.act(&format!("p{n}"), "join").await })
            })
            .collect();
        for join in joins {
            join.await.unwrap().unwrap();
        }
        for table in &tables {
            table.act("p0", "join").await.unwrap(); // Joining again changes nothing, and brings this node up to date.
            let mut hosts = 0;
            for n in 0..count {
                hosts += usize::from(table.sees(&format!("p{n}")).await.unwrap().contains(" host"));
            }
            assert_eq!(hosts, 1, "{count} joiners");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h05_two_hundred_voters_at_once_are_all_acknowledged_and_none_is_lost() {
    for (tables, _folder) in pairs() {
        tables[0].create().await;
        let all = async |wish: &'static str| {
            let acts: Vec<_> = (0..200)
                .map(|n| {
                    let table = tables[n % 2].clone();
                    tokio::spawn(async move { table.act(&format!("p{n}"), wish).await })
                })
                .collect();
            let mut positions = BTreeSet::new();
            for act in acts {
                positions.insert(act.await.unwrap().unwrap().position);
            }
            positions
        };
        all("join").await;
        let positions = all("vote 5").await;
        let seen = tables[0].act("p0", "show").await; // Whoever is admin, p0 or another.
        if seen.is_err() {
            tables[0].act("host", "show").await.unwrap();
        }
        let view = tables[0].sees("nobody").await.unwrap();
        assert_eq!(view.matches(":5").count(), 200, "{view}");
        // Acts that waited together shared commits: that is what keeps a full table quick.
        assert!(positions.len() <= 200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h04_in_a_storm_of_conflicts_every_act_is_answered_once_and_in_its_authors_order() {
    let tables = rivals(6);
    tables[0].create().await;
    let authors: Vec<_> = tables
        .iter()
        .enumerate()
        .map(|(n, table)| {
            let table = table.clone();
            tokio::spawn(async move {
                let who = format!("p{n}");
                let mut last = table.act(&who, "join").await.unwrap().position;
                for round in 0..25u64 {
                    let card = ["1", "2", "3", "5", "8"][(round % 5) as usize];
                    let acted = table.numbered(&who, &format!("vote {card}"), round + 1).await.unwrap();
                    assert!(acted.position > last && !acted.again, "{who}: {last} then {acted:?}");
                    let again = table.numbered(&who, &format!("vote {card}"), round + 1).await.unwrap();
                    assert!(again.again && again.position == acted.position, "{who}: {acted:?} then {again:?}");
                    last = acted.position;
                }
            })
        })
        .collect();
    for author in authors {
        author.await.unwrap();
    }
    let mut last: Vec<String> = Vec::new();
    for table in &tables {
        table.act("host", "show").await.unwrap();
        last.push(table.sees("nobody").await.unwrap());
    }
    assert_eq!(last[0].matches(":8").count(), 6, "{last:?}");
    assert!(last.windows(2).all(|pair| pair[0] == pair[1]), "{last:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn listeners_of_one_engine_see_what_happens_at_the_other() {
    let tables = rivals(2);
    tables[0].create().await;
    let mut ear = tables[0].listens("ana").await;
    tables[1].act("bo", "join").await.unwrap();
    ear.sees(" bo:_").await;
    tables[1].act("bo", "vote 5").await.unwrap();
    ear.sees(" bo:?").await;
    let mut bo = tables[0].listens("bo").await;
    tables[1].act("host", "kick bo").await.unwrap();
    assert_eq!(bo.hears_of("ended").await, "ended Kicked");
    tables[1].act("host", "delete").await.unwrap();
    assert_eq!(ear.hears_of("ended").await, "ended Deleted");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h22_a_hundred_joins_of_one_person_are_one_seat_with_its_card() {
    for (tables, _folder) in pairs() {
        tables[0].create().await;
        tables[0].act("ana", "join").await.unwrap();
        tables[0].act("ana", "vote 5").await.unwrap();
        let joins: Vec<_> = (0..100)
            .map(|n| {
                let table = tables[n % 2].clone();
                tokio::spawn(async move { table.act("ana", "join").await })
            })
            .collect();
        for join in joins {
            join.await.unwrap().unwrap();
        }
        assert!(tables[1].sees("ana").await.unwrap().ends_with(" ana:? host mine:5"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_room_that_goes_to_rest_while_it_is_used_shows_what_it_still_kept() {
    // A room that rests at once: acts and listeners keep meeting it on its way to bed.
    let clock = clock();
    let limits = Limits { idle_unload_after: Duration::ZERO, view_every: Duration::ZERO, ..limits() };
    let table = Arc::new(Table::on(Arc::new(Memory::new(clock.clone())), clock, limits).await);
    table.act("ana", "join").await.unwrap();
    for n in 0..5000 {
        let voting = tokio::spawn({
            let table = table.clone();
            async move { table.act("ana", if n % 2 == 0 { "vote 5" } else { "vote 8" }).await }
        });
        let mut ear = table.listens("bo").await;
        let kept = voting.await.unwrap().unwrap().position.seq;
        let seen = async {
            loop {
                let heard = ear.hears().await;
                let view = heard.strip_prefix("view ").and_then(|view| view.split(' ').next()?.parse::<u64>().ok());
                if view.is_some_and(|seen| seen >= kept) || heard == "come back" {
                    return;
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(20), seen).await.unwrap_or_else(|_| panic!("vote {n} was kept and never shown"));
    }
}
