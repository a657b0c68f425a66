//! What people do and what that asks of a DynamoDB table: requests and write units as the service itself counts them, reads by
//! their size. Counted, never timed; the table of docs/dynamodb.md is made of it.

use super::inside::{Inside, Store, until, user_key};
use crate::support::table::Table;
use parlor_store::dynamodb::Counted;
use serde_json::{Value, json};
use std::fmt::Write as _;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/dynamodb.md");

/// Dollars for a million of them, on demand, in the service's first region since November 2024.
const WRITES_DOLLARS: f64 = 0.625;
const READS_DOLLARS: f64 = 0.125;

/// What a team does in a month: nine people, twelve stories a session, two sessions a week, an hour each.
const TEAMS: f64 = 1000.0;
const PEOPLE: f64 = 9.0;
const STORIES: f64 = 12.0;
const SESSIONS: f64 = 2.0 * 52.0 / 12.0;
const MINUTES: f64 = 60.0;
/// Said by each node for each room that somebody is at, so often in an hour.
const ANNOUNCED: f64 = MINUTES * 60.0 / 20.0;

struct Row {
    what: &'static str,
    counted: Counted,
}

struct Till<'a> {
    server: &'a Inside,
    rows: Vec<Row>,
}

impl Till<'_> {
    async fn count<T>(&mut self, what: &'static str, act: impl Future<Output = T>) -> T {
        let store = self.server.table();
        store.settled().await;
        let before = store.counts().now();
        let done = act.await;
        self.rows.push(Row { what, counted: store.counts().now().since(&before) });
        done
    }

    #[track_caller]
    fn asked(&self, requests: &[(&'static str, u64)]) {
        let Row { what, counted } = self.rows.last().unwrap();
        assert_eq!(counted.requests, requests.iter().copied().collect(), "{what}");
    }
}

async fn act(server: &Inside, room: &str, verb: &str, key: &str, with: Value) {
    let headers = [("parlor-user-key", key)];
    let done = server.ask("POST", &format!("/v1/rooms/{room}/{verb}"), &headers, Some(&with.to_string())).await;
    assert_eq!(done.status, 200, "{verb}: {done:?}");
}

const WRITE: &[(&str, u64)] = &[("TransactWriteItems", 1)];

#[tokio::test]
async fn h48_h66_one_act_is_one_write_and_coming_in_is_one_query() {
    let tables = Table::start();
    let url = &*tables.fresh().await.leak();
    let server = Inside::start(Store::DynamoDb(url), &[]).await;
    let (room, host_key) = server.room("costs").await;
    let keys: Vec<String> = (0..9).map(|number| user_key(&format!("person-{number}"))).collect();
    for (number, key) in keys.iter().enumerate() {
        act(&server, &room, "join", key, json!({ "user_name": format!("Person {number}") })).await;
    }
    // The next server finds it all in the table.
    let server = server.restart().await;
    // That it listens for the ends of sessions is said when it starts.
    until("the server has asked who else listens", || server.table().counts().now().read_units > 0.0).await;
    let mut till = Till { server: &server, rows: Vec::new() };
    till.count("taking up a room of nine that no node serves", server.look(&room, &host_key)).await;
    till.asked(&[("Query", 2)]);
    assert_eq!(till.rows[0].counted.read_units, 2.0, "the room, and who is elsewhere");
    let newcomer = user_key("newcomer");
    till.count("joining", act(&server, &room, "join", &newcomer, json!({ "user_name": "Cleo" }))).await;
    // Whether the name is somebody's who is logged in, and the write.
    till.asked(&[("GetItem", 1), ("TransactWriteItems", 1)]);
    till.count("a vote", act(&server, &room, "vote", &keys[0], json!({ "card": "5" }))).await;
    till.asked(WRITE);
    for key in &keys[1..] {
        act(&server, &room, "vote", key, json!({ "card": "8" })).await;
    }
    till.count("showing the cards", act(&server, &room, "show", &keys[0], json!({}))).await;
    till.asked(WRITE);
    till.count("a new round, nine votes cleared", act(&server, &room, "reset", &keys[0], json!({}))).await;
    till.asked(WRITE);
    till.count("looking at a room that is served", server.look(&room, &host_key)).await;
    till.asked(&[]);
    till.count("leaving", act(&server, &room, "leave", &newcomer, json!({}))).await;
    till.asked(WRITE);
    let login = till.count("logging in", server.ask("POST", "/v1/login", &[], Some(r#"{"user_name":"Ana"}"#))).await;
    assert_eq!(login.status, 201, "{login:?}");
    let token = format!("Bearer {}", login.json()["token"].as_str().unwrap());
    till.count(
        "asking who a session is, which renews it (once a second at most)",
        server.ask("GET", "/v1/session", &[("authorization", &token)], None),
    )
    .await;

    let made =
        till.count("making a space", server.ask("POST", "/v1/rooms", &[], Some(r#"{"kind":"space","guests":"write"}"#))).await;
    assert_eq!(made.status, 201, "{made:?}");
    let space = made.json()["room"].as_str().unwrap().to_owned();
    let set = |number: usize| json!({ "map": "board", "key": format!("key-{number}"), "value": { "x": number, "y": 1 } });
    act(&server, &space, "map_set", &keys[0], set(0)).await;
    let (mut shown, mut read_first) = (None, 0);
    for number in 1..=40 {
        till.count("a key of a small map", act(&server, &space, "map_set", &keys[0], set(number % 8))).await;
        let row = till.rows.pop().unwrap();
        let reads = row.counted.requests.get("BatchGetItem").copied().unwrap_or_default();
        assert_eq!(row.counted.requests.get("TransactWriteItems"), Some(&1), "{:?}", row.counted);
        assert_eq!(row.counted.total(), 1 + reads, "{:?}", row.counted);
        read_first += reads;
        shown = shown.or((reads == 0).then_some(row));
    }
    assert!(read_first < 20, "a bucket is looked at now and then, not each time: {read_first} of 40");
    till.rows.extend(shown);
    let page = table(&till.rows);
    let kept = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = kept.split_once("<!-- costs -->\n").expect("the page has a place for it");
    let (_, after) = rest.split_once("<!-- /costs -->").expect("and an end of it");
    let whole = format!("{before}<!-- costs -->\n{page}<!-- /costs -->{after}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, &whole).unwrap();
    }
    let again = "UPDATE_DOCS=1 cargo nextest run -p parlor h48_h66_one_act";
    assert!(
        whole == kept || std::env::var_os("UPDATE_DOCS").is_some(),
        "docs/dynamodb.md is stale; {again} rewrites it:\n{page}"
    );
}

fn table(rows: &[Row]) -> String {
    let mut page = String::from("| what | requests | write units | read units |\n|---|---|---|---|\n");
    for Row { what, counted } in rows {
        let requests: Vec<String> = counted.requests.iter().map(|(name, count)| format!("{count} {name}")).collect();
        let requests = if requests.is_empty() { "none".to_owned() } else { requests.join(", ") };
        // Writing to a String cannot fail.
        let _ = writeln!(page, "| {what} | {requests} | {} | {} |", counted.write_units, counted.read_units);
    }
    let writes = |what: &str| rows.iter().find(|row| row.what == what).unwrap().counted.write_units;
    let session = PEOPLE * writes("joining")
        + STORIES * (PEOPLE * writes("a vote") + writes("showing the cards") + writes("a new round, nine votes cleared"));
    let (write_units, read_units) = (session + ANNOUNCED, ANNOUNCED + 2.0);
    let month = |units: f64, dollars: f64| units * SESSIONS * TEAMS * dollars / 1e6;
    let (writes_cost, reads_cost) = (month(write_units, WRITES_DOLLARS), month(read_units, READS_DOLLARS));
    let _ = write!(
        page,
        "\nA session of {PEOPLE} people over {STORIES} stories in {MINUTES} minutes at one node takes {write_units:.0} write and {read_units:.0} read units, \
         {ANNOUNCED:.0} of each for saying every 20 s who is here. A thousand teams with two such sessions a week: {:.1} million write units a month at \
         ${WRITES_DOLLARS} a million and {:.1} million read units at ${READS_DOLLARS}, together **${:.2} a month**, besides what the \
         few kilobytes of each room cost to keep.\n",
        write_units * SESSIONS * TEAMS / 1e6,
        read_units * SESSIONS * TEAMS / 1e6,
        writes_cost + reads_cost,
    );
    page
}
