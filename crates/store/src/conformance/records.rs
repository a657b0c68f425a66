//! Cases about records that belong to no room.

use super::*;
use crate::Answer;
use crate::limits::NAME_BYTES_MAX;
use crate::records::{Applied, Batch, Condition, Operation, Query, Reply, Used};
use crate::shapes::Score;

fn k(key: &str) -> Key {
    Key::from(key)
}

fn score(score: f64) -> Score {
    Score::new(score).expect("a number")
}

async fn apply(store: &impl Records, operations: Vec<Operation>) -> Result<Applied, StoreError> {
    store.apply(Batch { tag: "t".into(), operations, ..Batch::default() }).await
}

async fn replies(store: &impl Records, operations: Vec<Operation>) -> Vec<Reply> {
    match apply(store, operations).await {
        Ok(Applied::Done(replies)) => replies,
        other => panic!("{other:?}"),
    }
}

async fn ask(store: &impl Records, query: Query) -> Answer {
    store.read("t", vec![query]).await.expect("readable").remove(0)
}

fn put_text(key: &str, value: &str) -> Operation {
    Operation::Put { key: k(key), value: Value::Text(text(value)), deadline: None }
}

fn set_field(key: &str, field: &str, value: &str) -> Operation {
    Operation::SetField { key: k(key), field: k(field), value: text(value) }
}

fn set_score(key: &str, member: &str, to: f64) -> Operation {
    Operation::SetScore { key: k(key), member: k(member), score: score(to) }
}

pub(super) async fn conditions_guard_operations(stand: impl Stand) {
    let store = stand.store();
    replies(&store, vec![put_text("t", "v"), set_field("h", "f", "1"), set_score("z", "m", 5.0)]).await;
    replies(&store, vec![set_score("y", "fine", 1_711_794_081.470_433), set_score("y", "all", f64::INFINITY)]).await;
    let cases = [
        (Condition::Absent(k("none")), true),
        (Condition::Absent(k("t")), false),
        (Condition::Present(k("t")), true),
        (Condition::Present(k("none")), false),
        (Condition::Holds(k("t"), text("v")), true),
        (Condition::Holds(k("t"), text("w")), false),
        (Condition::Holds(k("none"), text("")), false),
        (Condition::FieldAbsent(k("h"), k("g")), true),
        (Condition::FieldAbsent(k("none"), k("g")), true),
        (Condition::FieldAbsent(k("h"), k("f")), false),
        (Condition::FieldPresent(k("h"), k("f")), true),
        (Condition::FieldPresent(k("h"), k("g")), false),
        (Condition::FieldHolds(k("h"), k("f"), text("1")), true),
        (Condition::FieldHolds(k("h"), k("f"), text("2")), false),
        (Condition::ScoreAtMost(k("z"), k("m"), score(5.0)), true),
        (Condition::ScoreAtMost(k("z"), k("m"), score(4.9)), false),
        (Condition::ScoreAtMost(k("z"), k("none"), score(9.0)), false),
        (Condition::ScoreIs(k("z"), k("m"), score(5.0)), true),
        (Condition::ScoreIs(k("z"), k("m"), score(5.000_000_000_000_001)), false),
        (Condition::ScoreIs(k("z"), k("none"), score(0.0)), false),
        (Condition::ScoreIs(k("none"), k("m"), score(0.0)), false),
        (Condition::ScoreIs(k("y"), k("fine"), score(1_711_794_081.470_433)), true),
        (Condition::ScoreIs(k("y"), k("fine"), score(1_711_794_081.470_433_5)), false),
        (Condition::ScoreIs(k("y"), k("all"), score(f64::INFINITY)), true),
        (Condition::ScoreIs(k("y"), k("all"), score(f64::MAX)), false),
        (Condition::MemberAbsent(k("z"), k("none")), true),
        (Condition::MemberAbsent(k("z"), k("m")), false),
        (Condition::FewerThan(k("h"), 2), true),
        (Condition::FewerThan(k("h"), 1), false),
        (Condition::FewerThan(k("z"), 2), true),
        (Condition::FewerThan(k("z"), 1), false),
        (Condition::FewerThan(k("none"), 1), true),
        (Condition::FewerThan(k("none"), 0), false),
    ];
    for (n, (condition, holds)) in cases.into_iter().enumerate() {
        let label = format!("{condition:?}");
        let conditions = vec![Condition::Present(k("t")), condition];
        let operations = vec![put_text("last", &n.to_string())];
        let batch = Batch { tag: "t".into(), conditions, operations, may_repeat: n % 2 == 0 };
        let expected = if holds { Applied::Done(vec![Reply::Done]) } else { Applied::Refused(1) };
        assert_eq!(store.apply(batch).await, Ok(expected), "{label}");
        let seen = ask(&store, Query::Whole(k("last"))).await;
        assert_eq!(seen == Answer::Whole(Value::Text(text(n.to_string()))), holds, "{label}");
    }
}

pub(super) async fn a_failing_batch_changes_nothing(stand: impl Stand) {
    let store = stand.store();
    replies(&store, vec![put_text("t", "v"), set_field("h", "f", "1"), set_field("h", "n", "x")]).await;
    let before = store.read("t", ["t", "h", "new"].map(|key| Query::Whole(k(key))).to_vec()).await;
    let failing = [
        vec![put_text("new", "1"), set_field("h", "f", "2"), set_field("t", "f", "of a text")],
        vec![
            Operation::Drop { key: k("h") },
            Operation::AddField { key: k("t"), field: k("f"), by: 1, min: 0, max: 9, drop_at: None },
        ],
        vec![put_text("t", "w"), Operation::AddField { key: k("h"), field: k("n"), by: 1, min: 0, max: 9, drop_at: None }],
        vec![set_score("new", "m", f64::INFINITY), Operation::AddScore { key: k("new"), member: k("m"), by: f64::NEG_INFINITY }],
    ];
    for operations in failing {
        assert!(matches!(apply(&store, operations).await, Err(StoreError::Shape(_))));
        assert_eq!(store.read("t", ["t", "h", "new"].map(|key| Query::Whole(k(key))).to_vec()).await, before);
    }
}

pub(super) async fn fields_come_and_go(stand: impl Stand) {
    let store = stand.store();
    let drop = |field: &str| Operation::DropField { key: k("h"), field: k(field) };
    let steps = vec![set_field("h", "a", "1"), set_field("h", "a", "2"), set_field("h", "b", "3"), drop("none"), drop("a")];
    let expected = [false, true, false, false, true].map(Reply::Was);
    assert_eq!(replies(&store, steps).await, expected);
    assert_eq!(ask(&store, Query::Count(k("h"))).await, Answer::Count(1));
    assert_eq!(ask(&store, Query::Field(k("h"), k("b"))).await, Answer::Bytes(text("3")));
    assert_eq!(ask(&store, Query::Field(k("h"), k("a"))).await, Answer::Absent);
    assert_eq!(replies(&store, vec![drop("b")]).await, [Reply::Was(true)]);
    assert_eq!(ask(&store, Query::Whole(k("h"))).await, Answer::Absent, "the last field takes the key with it");
    assert_eq!(replies(&store, vec![Operation::Drop { key: k("h") }]).await, [Reply::Was(false)]);
}

pub(super) async fn counters_stay_in_bounds(stand: impl Stand) {
    let store = stand.store();
    let add = |by, drop_at| Operation::AddField { key: k("h"), field: k("n"), by, min: 0, max: 10, drop_at };
    let steps = vec![add(4, None), add(100, None), add(-3, None), add(-100, None), add(i64::MIN, None), add(i64::MAX, None)];
    assert_eq!(replies(&store, steps).await, [4, 10, 7, 0, 0, 10].map(Reply::Number));
    assert_eq!(replies(&store, vec![add(-10, Some(0))]).await, [Reply::Number(0)]);
    assert_eq!(ask(&store, Query::Whole(k("h"))).await, Answer::Absent, "dropped at 0");
    assert_eq!(replies(&store, vec![add(0, Some(0)), add(1, Some(0))]).await, [0, 1].map(Reply::Number));
}

pub(super) async fn lists_keep_the_newest(stand: impl Stand) {
    let store = stand.store();
    let push = |item: &str, unique, keep| Operation::Push { key: k("l"), item: text(item), unique, keep };
    let left =
        replies(&store, vec![push("a", true, 3), push("b", true, 3), push("a", true, 3), push("c", true, 3), push("d", true, 3)]);
    assert_eq!(left.await, [1, 2, 2, 3, 3].map(Reply::Left));
    let list = |items: &[&str]| Answer::Whole(Value::List(items.iter().map(text).collect()));
    assert_eq!(ask(&store, Query::Whole(k("l"))).await, list(&["a", "c", "d"]));
    replies(&store, vec![push("c", false, 4)]).await;
    assert_eq!(ask(&store, Query::Whole(k("l"))).await, list(&["a", "c", "d", "c"]));
    assert_eq!(ask(&store, Query::Count(k("l"))).await, Answer::Count(4));
    assert_eq!(replies(&store, vec![push("x", false, 0)]).await, [Reply::Left(0)]);
    assert_eq!(ask(&store, Query::Whole(k("l"))).await, Answer::Absent);
}

/// Together on their way, and yet each for itself: one that is refused leaves the others alone.
pub(super) async fn batches_together_are_each_for_themselves(stand: impl Stand) {
    let store = stand.store();
    replies(&store, vec![set_score("z", "there", 1.0)]).await;
    let push = |item: &str| Operation::Push { key: k("l"), item: text(item), unique: true, keep: 2 };
    let of = |member: &str, item: &str| Batch {
        conditions: vec![Condition::ScoreAtMost(k("z"), k(member), Score::HIGHEST)],
        operations: vec![set_score("z", member, 2.0), push(item), push("last")],
        may_repeat: true,
        ..Batch::default()
    };
    let dropped = Batch { operations: vec![Operation::Drop { key: k("l") }], may_repeat: true, ..Batch::default() };
    let all = vec![of("there", "a"), of("not", "b"), dropped.clone(), of("there", "c")];
    let done = || Applied::Done(Vec::new());
    assert_eq!(store.apply_each("t", all).await.expect("kept"), [done(), Applied::Refused(0), done(), done()]);
    let list = Value::List(vec![text("c"), text("last")]);
    assert_eq!(ask(&store, Query::Whole(k("l"))).await, Answer::Whole(list));
    assert_eq!(ask(&store, Query::Count(k("z"))).await, Answer::Count(1), "who was not there is not there");
    assert_eq!(store.apply_each("t", Vec::new()).await.expect("nothing to keep"), []);
    // A key that became something else on the way is not what it was looked at as; those before it have happened.
    let other = Batch { operations: vec![set_field("l", "f", "v")], may_repeat: true, ..Batch::default() };
    let failed = store.apply_each("t", vec![dropped, other, of("there", "d"), of("there", "e")]).await;
    assert!(matches!(failed, Err(StoreError::Shape(_))), "{failed:?}");
    assert!(matches!(ask(&store, Query::Whole(k("l"))).await, Answer::Whole(Value::Hash(_))));
    assert_eq!(ask(&store, Query::Score(k("z"), k("there"))).await, Answer::Score(score(2.0)));
}

/// The short way says the same as the batches it stands for.
pub(super) async fn members_that_were_used_are_told_from_those_that_are_gone(stand: impl Stand) {
    let store = stand.store();
    replies(&store, vec![set_score("z", "a", 1.0), set_score("z", "b", 1.0), set_score("z", "d", 1.0)]).await;
    let used = |member: &str, to: f64, items: &[&str]| Used {
        member: k(member),
        score: score(to),
        list: k(&format!("l{member}")),
        items: items.iter().map(text).collect(),
        deadline: None,
    };
    let all = vec![used("a", 2.0, &["x", "y"]), used("gone", 2.0, &["x"]), used("b", 3.0, &[]), used("a", 4.0, &["z", "x"])];
    assert_eq!(store.use_members("t", &k("z"), 3, all).await.expect("kept"), [true, false, true, true]);
    let list = |items: &[&str]| Answer::Whole(Value::List(items.iter().map(text).collect()));
    assert_eq!(ask(&store, Query::Whole(k("la"))).await, list(&["y", "z", "x"]));
    assert_eq!(ask(&store, Query::Whole(k("lgone"))).await, Answer::Absent);
    assert_eq!(ask(&store, Query::Count(k("z"))).await, Answer::Count(3), "who was gone stays gone");
    for (member, to) in [("a", 4.0), ("b", 3.0)] {
        assert_eq!(ask(&store, Query::Score(k("z"), k(member))).await, Answer::Score(score(to)));
    }
    let more = store.use_members("t", &k("z"), 2, vec![used("a", 5.0, &["w"])]).await.expect("kept");
    assert_eq!((more, ask(&store, Query::Whole(k("la"))).await), (vec![true], list(&["x", "w"])));
    assert_eq!(store.use_members("t", &k("none"), 2, vec![used("a", 5.0, &["w"])]).await.expect("nobody"), [false]);
    let none = store.use_members("t", &k("z"), 0, vec![used("a", 5.0, &["w"])]).await.expect("kept");
    assert_eq!(
        (none, ask(&store, Query::Whole(k("la"))).await),
        (vec![true], Answer::Absent),
        "a list that keeps nothing is gone"
    );
    let large = vec![used("a", 5.0, &["x".repeat(store.limits().bytes_max).as_str()])];
    assert!(matches!(store.use_members("t", &k("z"), 2, large).await, Err(StoreError::TooLarge { .. })));
    store.use_members("t", &k("z"), 2, vec![used("a", 5.0, &["x"])]).await.expect("kept");
    assert!(store.use_members("t", &k("z"), 2, vec![]).await.expect("nothing").is_empty());
    // Another shape in the middle: those before it have happened.
    replies(&store, vec![put_text("lb", "no list")]).await;
    let odd = vec![used("a", 6.0, &["v"]), used("b", 6.0, &["v"]), used("d", 6.0, &[])];
    assert_eq!(store.use_members("t", &k("z"), 2, odd).await, Err(StoreError::Shape("lb".into())));
    for (member, to) in [("a", 6.0), ("b", 3.0), ("d", 1.0)] {
        assert_eq!(ask(&store, Query::Score(k("z"), k(member))).await, Answer::Score(score(to)), "{member}");
    }
    assert_eq!(store.use_members("t", &k("la"), 2, vec![used("a", 1.0, &[])]).await, Err(StoreError::Shape("la".into())));
}

pub(super) async fn sorted_sets_rank(stand: impl Stand) {
    let store = stand.store();
    let members = [("d", 1.0), ("a", 2.0), ("c", 2.0), ("b", 2.0), ("e", -7.5), ("f", f64::INFINITY), ("g", -0.0)];
    replies(&store, members.iter().map(|(member, to)| set_score("z", member, *to)).collect()).await;
    let ranked = [("e", -7.5), ("g", 0.0), ("d", 1.0), ("a", 2.0), ("b", 2.0), ("c", 2.0), ("f", f64::INFINITY)];
    let expected: Vec<(Field, Score)> = ranked.iter().map(|(member, to)| (k(member), score(*to))).collect();
    let lowest = |skip, take| Query::Lowest { key: k("z"), skip, take };
    assert_eq!(ask(&store, lowest(0, 99)).await, Answer::Members(expected.clone()));
    assert_eq!(ask(&store, lowest(2, 3)).await, Answer::Members(expected[2..5].to_vec()));
    assert_eq!(ask(&store, lowest(7, 3)).await, Answer::Members(vec![]));
    for (rank, (member, to)) in expected.iter().enumerate() {
        assert_eq!(ask(&store, Query::Rank(k("z"), member.clone())).await, Answer::Count(rank));
        assert_eq!(ask(&store, Query::Score(k("z"), member.clone())).await, Answer::Score(*to));
    }
    assert_eq!(ask(&store, Query::Rank(k("z"), k("none"))).await, Answer::Absent);
    let add = |member: &str, by| Operation::AddScore { key: k("z"), member: k(member), by };
    let steps =
        vec![add("a", 0.5), add("new", -1.0), set_score("z", "b", 0.25), Operation::DropMember { key: k("z"), member: k("f") }];
    let expected = [Reply::Score(score(2.5)), Reply::Score(score(-1.0)), Reply::Was(true), Reply::Was(true)];
    assert_eq!(replies(&store, steps).await, expected);
    let order = ["e", "new", "g", "b", "d", "c", "a"];
    match ask(&store, lowest(0, 99)).await {
        Answer::Members(members) => assert_eq!(members.iter().map(|(m, _)| m.to_string()).collect::<Vec<_>>(), order),
        other => panic!("{other:?}"),
    }
    assert_eq!(ask(&store, Query::Count(k("z"))).await, Answer::Count(7));
}

pub(super) async fn popularity_is_trimmed_and_scaled(stand: impl Stand) {
    let store = stand.store();
    replies(&store, (0..100).map(|n| set_score("z", &format!("m{n:03}"), f64::from(-n))).collect()).await;
    let keep = |keep| Operation::KeepLowest { key: k("z"), keep };
    let steps = vec![keep(200), keep(20), Operation::Scale { key: k("z"), by: 0.5 }];
    assert_eq!(replies(&store, steps).await, [Reply::Left(100), Reply::Left(20), Reply::Done]);
    let Answer::Members(members) = ask(&store, Query::Lowest { key: k("z"), skip: 0, take: 99 }).await else { panic!() };
    let expected: Vec<(Field, Score)> = (80..100).rev().map(|n| (k(&format!("m{n:03}")), score(f64::from(-n) / 2.0))).collect();
    assert_eq!(members, expected, "the most negative are the lowest, and stay");
    assert_eq!(replies(&store, vec![keep(0)]).await, [Reply::Left(0)]);
    assert_eq!(ask(&store, Query::Whole(k("z"))).await, Answer::Absent);
    assert_eq!(replies(&store, vec![keep(5), Operation::Scale { key: k("z"), by: 2.0 }]).await, [Reply::Left(0), Reply::Done]);
}

pub(super) async fn shapes_do_not_mix(stand: impl Stand) {
    let store = stand.store();
    let push = |key: &str| Operation::Push { key: k(key), item: text("i"), unique: false, keep: 9 };
    replies(&store, vec![put_text("t", "v"), set_field("h", "f", "1"), set_score("z", "m", 1.0), push("l")]).await;
    let wrong = [
        set_field("t", "f", "1"),
        set_field("z", "f", "1"),
        set_field("l", "f", "1"),
        set_score("h", "m", 1.0),
        set_score("t", "m", 1.0),
        push("t"),
        push("h"),
        Operation::KeepLowest { key: k("h"), keep: 1 },
        Operation::Scale { key: k("l"), by: 2.0 },
        Operation::DropField { key: k("t"), field: k("f") },
        Operation::DropMember { key: k("h"), member: k("f") },
    ];
    for operation in wrong {
        let key = operation.key().to_string();
        assert_eq!(apply(&store, vec![operation]).await, Err(StoreError::Shape(key)));
    }
    for (query, key) in [(Query::Field(k("t"), k("f")), "t"), (Query::Score(k("h"), k("f")), "h"), (Query::Count(k("t")), "t")] {
        assert_eq!(store.read("t", vec![query]).await, Err(StoreError::Shape(key.into())));
    }
    replies(
        &store,
        vec![put_text("h", "now a text"), Operation::Put { key: k("t"), value: Value::List(vec![text("i")]), deadline: None }],
    )
    .await;
    assert_eq!(ask(&store, Query::Whole(k("h"))).await, Answer::Whole(Value::Text(text("now a text"))));
    replies(&store, vec![Operation::Drop { key: k("h") }, set_score("h", "m", 1.0)]).await;
    assert_eq!(ask(&store, Query::Count(k("h"))).await, Answer::Count(1), "nothing of the old hash is left");
}

pub(super) async fn deadlines_survive_small_changes(stand: impl Stand) {
    let store = stand.store();
    let deadline = Some(stand.now() + Span::minutes(60));
    let put = |key: &str, value| Operation::Put { key: k(key), value, deadline };
    let hash = Value::Hash([(k("f"), text("1"))].into());
    let set = Value::SortedSet([(k("m"), score(1.0))].into());
    replies(&store, vec![put("h", hash), put("z", set), put("l", Value::List(vec![text("a")]))]).await;
    let push = Operation::Push { key: k("l"), item: text("b"), unique: true, keep: 5 };
    replies(&store, vec![set_field("h", "g", "2"), set_score("z", "n", 2.0), push]).await;
    for key in ["h", "z", "l"] {
        assert_eq!(ask(&store, Query::Deadline(k(key))).await, Answer::Deadline(deadline), "{key}");
        assert_eq!(ask(&store, Query::Count(k(key))).await, Answer::Count(2), "{key}");
    }
    replies(&store, vec![put_text("h", "no deadline")]).await;
    assert_eq!(ask(&store, Query::Deadline(k("h"))).await, Answer::Deadline(None), "a put replaces the deadline too");
}

pub(super) async fn too_large_is_refused(stand: impl Stand) {
    let store = stand.store();
    let limits = store.limits();
    let many = (0..=limits.writes_max).map(|n| put_text(&format!("k{n}"), "v")).collect();
    let big = vec![put_text("k", &"x".repeat(limits.bytes_max + 1))];
    let long = vec![set_field("h", &"f".repeat(NAME_BYTES_MAX + 1), "v")];
    for operations in [many, big, long] {
        assert!(matches!(apply(&store, operations).await, Err(StoreError::TooLarge { .. })));
    }
    assert_eq!(ask(&store, Query::Whole(k("k0"))).await, Answer::Absent);
}

pub(super) async fn everything_is_read_from_one_moment(stand: impl Stand) {
    let store = stand.store();
    let both = |n: u64| vec![put_text("a", &n.to_string()), set_field("b", "n", &n.to_string())];
    replies(&store, both(0)).await;
    let rival = stand.store();
    let writer = tokio::spawn(async move {
        for n in 1..300 {
            replies(&rival, both(n)).await;
        }
    });
    while !writer.is_finished() {
        let seen = store.read("t", vec![Query::Whole(k("a")), Query::Field(k("b"), k("n"))]).await.expect("readable");
        match &seen[..] {
            [Answer::Whole(Value::Text(a)), Answer::Bytes(b)] => assert_eq!(a, b),
            other => panic!("{other:?}"),
        }
        tokio::task::yield_now().await;
    }
    writer.await.expect("the writer does not panic");
}
