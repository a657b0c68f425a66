//! Cases with many at once: nobody's change is lost, none is kept twice, and a reader sees one moment.

use super::*;
use crate::Answer;
use crate::records::{Applied, Batch, Condition, Operation, Query, Reply};
use crate::rooms::Since;

const WRITERS: u64 = 8;
const EACH: u64 = 50;

pub(super) async fn rivals_lose_nothing(stand: impl Stand) {
    let store = stand.store();
    let mut start = commit(0, "0", vec![put("sum", "0")]);
    start.mark = Mark(u64::MAX);
    store.append(&room("r"), None, start).await.expect("created");
    let writers: Vec<_> = (0..WRITERS).map(|writer| tokio::spawn(writes_until_kept(stand.store(), writer))).collect();
    for writer in writers {
        writer.await.expect("no writer panics");
    }
    let loaded = store.load(&room("r")).await.expect("readable").expect("there");
    assert_eq!(loaded.place.position.seq, 1 + WRITERS * EACH);
    assert_eq!(loaded.records[0].1, Value::Text(text((WRITERS * EACH).to_string())), "each counted once");
}

async fn writes_until_kept(store: impl Rooms, writer: u64) {
    for n in 0..EACH {
        let mark = writer * EACH + n;
        loop {
            let loaded = store.load(&room("r")).await.expect("readable").expect("there");
            let sum = number(&loaded.records[0].1) + 1;
            let writes = vec![put("sum", &sum.to_string())];
            match store.append(&room("r"), Some(loaded.place), commit(mark, &mark.to_string(), writes)).await {
                Ok(_) => break,
                Err(StoreError::Conflict) => {
                    // What beat it can be read at once.
                    let Ok(Since::Entries(entries)) = store.since(&room("r"), loaded.place).await else { panic!("kept") };
                    assert!(!entries.is_empty(), "a conflict has a cause that is there to be read");
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

pub(super) async fn a_load_is_exact_while_a_rival_commits(stand: impl Stand) {
    let store = stand.store();
    let fields = 50;
    let writes = move |n: u64| -> Vec<Write> {
        let mut writes: Vec<Write> = (0..fields).map(|field| set("h", &field.to_string(), &n.to_string())).collect();
        writes.push(put("seq", &n.to_string()));
        writes
    };
    let first = store.append(&room("r"), None, commit(1, "1", writes(1))).await.expect("created");
    let rival = stand.store();
    let commits = tokio::spawn(async move {
        let mut at = first;
        for n in 2..=400 {
            at = rival.append(&room("r"), Some(at), commit(n, &n.to_string(), writes(n))).await.expect("nobody else writes");
        }
        at
    });
    while !commits.is_finished() {
        let loaded = store.load(&room("r")).await.expect("readable").expect("there");
        let after = loaded.after.iter().map(|entry| entry.place.position.seq).max();
        let exact = after.unwrap_or(loaded.place.position.seq);
        // A backend may load fuzzily if it says so by `after`; without it every record stands at the place.
        for (key, value) in &loaded.records {
            let seen: Vec<u64> = match value {
                Value::Hash(fields) => fields.values().map(|value| number(&Value::Text(value.clone()))).collect(),
                value => vec![number(value)],
            };
            let low = loaded.place.position.seq;
            assert!(seen.iter().all(|seen| (low..=exact).contains(seen)), "{key}: {seen:?} at {low}..={exact}");
        }
        tokio::task::yield_now().await;
    }
    let last = commits.await.expect("the rival does not panic");
    assert_eq!(store.load(&room("r")).await.expect("readable").expect("there").place, last);
}

pub(super) async fn one_of_many_creations_wins(stand: impl Stand) {
    let tries: Vec<_> = (0..64)
        .map(|mark| {
            let store = stand.store();
            tokio::spawn(async move { store.append(&room("r"), None, commit(mark, "x", vec![])).await })
        })
        .collect();
    let mut kept = 0;
    for attempt in tries {
        match attempt.await.expect("no panic") {
            Ok(_) => kept += 1,
            refused => assert_eq!(refused, conflict()),
        }
    }
    assert_eq!(kept, 1);
}

pub(super) async fn one_of_many_puts_wins(stand: impl Stand) {
    let key = Key::from("name");
    let tries: Vec<_> = (0..100)
        .map(|n| {
            let (store, key) = (stand.store(), key.clone());
            let put = Operation::Put { key: key.clone(), value: Value::Text(text(n.to_string())), deadline: None };
            let batch =
                Batch { tag: "t".into(), conditions: vec![Condition::Absent(key)], operations: vec![put], ..Batch::default() };
            tokio::spawn(async move { (n, store.apply(batch).await) })
        })
        .collect();
    let mut winners = Vec::new();
    for attempt in tries {
        match attempt.await.expect("no panic") {
            (n, Ok(Applied::Done(_))) => winners.push(n),
            (_, refused) => assert_eq!(refused, Ok(Applied::Refused(0))),
        }
    }
    assert_eq!(winners.len(), 1);
    let kept = stand.store().read("t", vec![Query::Whole(key)]).await.expect("readable");
    assert_eq!(kept, [Answer::Whole(Value::Text(text(winners[0].to_string())))]);
}

pub(super) async fn parallel_counting_counts_all(stand: impl Stand) {
    let (key, field) = (Key::from("counter"), Field::from("n"));
    let adds: Vec<_> = (0..1000)
        .map(|_| {
            let store = stand.store();
            let (key, field) = (key.clone(), field.clone());
            let add = Operation::AddField { key, field, by: 1, min: 0, max: i64::MAX, drop_at: None };
            tokio::spawn(async move { store.apply(Batch { operations: vec![add], ..Batch::default() }).await })
        })
        .collect();
    let mut answers = Vec::new();
    for add in adds {
        match add.await.expect("no panic") {
            Ok(Applied::Done(replies)) => match replies[..] {
                [Reply::Number(n)] => answers.push(n),
                ref other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }
    answers.sort_unstable();
    assert_eq!(answers, (1..=1000).collect::<Vec<i64>>(), "each add had a turn of its own");
    let kept = stand.store().read("", vec![Query::Field(key, field)]).await.expect("readable");
    assert_eq!(kept, [Answer::Bytes(text("1000"))]);
}

fn number(value: &Value) -> u64 {
    match value {
        Value::Text(text) => String::from_utf8_lossy(text).parse().expect("a number was put"),
        other => panic!("{other:?}"),
    }
}
