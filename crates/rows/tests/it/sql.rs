//! Rows of real databases: SQLite, and PostgreSQL started by the test.

use crate::stand::{Stand, exact, until};
use parlor_rows::{Changed, RowsError, Source, SourceError, Sql};
use parlor_rules::time::Span;
use parlor_testbed::Postgres;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};
use std::path::Path;
use std::sync::Arc;

async fn sqlite(path: &Path, statements: &[&str]) {
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let mut connection = SqliteConnection::connect_with(&options).await.expect("a database");
    for statement in statements {
        sqlx::query(AssertSqlSafe(*statement)).execute(&mut connection).await.expect(statement);
    }
    connection.close().await.expect("closed");
}

async fn postgres(server: &Postgres, statements: &[&str]) {
    let mut connection = PgConnection::connect(&server.url()).await.expect("a database");
    for statement in statements {
        sqlx::query(AssertSqlSafe(*statement)).execute(&mut connection).await.expect(statement);
    }
    connection.close().await.expect("closed");
}

async fn read(source: &Sql, row: &str) -> Option<Value> {
    source.read(row).await.expect("readable").map(Value::Object)
}

#[tokio::test]
async fn rows_of_sqlite_are_what_json_has_for_them() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("shop.db");
    sqlite(
        &path,
        &[
            "CREATE TABLE inventory (id INTEGER PRIMARY KEY, name TEXT, price REAL, qty INTEGER, sold BOOLEAN, note, made DATETIME)",
            "INSERT INTO inventory VALUES (237, 'Kettle ☕ \"big\"', 19.99, 629, 1, NULL, '2026-01-02 03:04:05')",
            "INSERT INTO inventory VALUES (238, '', -0.5, 9223372036854775807, 0, 'text', NULL)",
            "INSERT INTO inventory VALUES (239, 'endless', 9e999, 0, NULL, 7, NULL)",
            "INSERT INTO inventory VALUES (240, 'bytes', 1, 0, 0, x'00ff', NULL)",
        ],
    )
    .await;
    let source = Sql::connect(&format!("sqlite:{}", path.display()), None).expect("an address");
    let kettle = json!({ "id": 237, "name": "Kettle ☕ \"big\"", "price": 19.99, "qty": 629, "sold": true, "note": null, "made": "2026-01-02 03:04:05" });
    assert_eq!(read(&source, "237").await, Some(kettle));
    let other = json!({ "id": 238, "name": "", "price": -0.5, "qty": i64::MAX, "sold": false, "note": "text", "made": null });
    assert_eq!(read(&source, "238").await, Some(other));
    let endless = json!({ "id": 239, "name": "endless", "price": "Infinity", "qty": 0, "sold": null, "note": 7, "made": null });
    assert_eq!(read(&source, "239").await, Some(endless));
    let Err(SourceError::Unfit(why)) = source.read("240").await else { panic!("bytes are no JSON") };
    assert!(why.contains("note"), "{why}");
    for stranger in ["0", "x", "", "237 OR 1=1", "237'; DROP TABLE inventory; --", "é\0"] {
        assert_eq!(read(&source, stranger).await, None, "{stranger:?}");
    }
    let chosen = format!("sqlite://{}", path.display());
    let chosen = Sql::connect(&chosen, Some("SELECT name AS title FROM inventory WHERE id = ?1")).expect("an address");
    assert_eq!(read(&chosen, "237").await, Some(json!({ "title": "Kettle ☕ \"big\"" })));
    let writes = Sql::connect(&format!("sqlite:{}", path.display()), Some("DELETE FROM inventory WHERE id = ?1 RETURNING id"));
    assert!(matches!(writes.expect("an address").read("237").await, Err(SourceError::Unavailable(_))), "nothing is written");
    assert!(read(&source, "237").await.is_some());
}

#[tokio::test]
async fn a_database_that_is_not_there_yet_is_waited_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("late.db");
    let source = Sql::connect(&format!("sqlite:{}", path.display()), None).expect("an address");
    assert!(matches!(source.read("1").await, Err(SourceError::Unavailable(_))));
    assert!(!path.exists(), "nor is it made");
    sqlite(&path, &["CREATE TABLE inventory (id INTEGER PRIMARY KEY)", "INSERT INTO inventory VALUES (1)"]).await;
    assert_eq!(read(&source, "1").await, Some(json!({ "id": 1 })));
}

#[tokio::test]
async fn an_address_that_means_nothing_is_refused() {
    for url in ["", "mysql://localhost/x", "inventory.db", "postgres:// no", "http://localhost"] {
        assert!(Sql::connect(url, None).is_err(), "{url}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rows_of_postgres_are_what_json_has_for_them() {
    let server = Postgres::start();
    postgres(
        &server,
        &[
            "CREATE TABLE inventory (id int PRIMARY KEY, name text, price numeric(10, 2), \"odd \"\"name'\" numeric, qty bigint, sold boolean, \
             made timestamptz, day date, tags jsonb, weight float8, words text[])",
            "INSERT INTO inventory VALUES (237, 'Kettle ☕', 19.90, 12345678901234567890.123456789, 629, true, \
             '2026-01-02 03:04:05+00', '2026-01-02', '{\"a\": [1, null]}', 0.1, '{x,y}')",
            "INSERT INTO inventory (id, weight) VALUES (238, 'Infinity')",
            "CREATE TABLE photos (id text PRIMARY KEY, picture bytea)",
            "INSERT INTO photos VALUES ('a', '\\x00ff')",
            "CREATE TABLE by_uuid (id uuid PRIMARY KEY, n int)",
            "INSERT INTO by_uuid VALUES ('6f1c1a3e-0000-4000-8000-000000000001', 7)",
        ],
    )
    .await;
    let source = Sql::connect(&server.url(), None).expect("an address");
    let kettle = json!({
        "id": 237, "name": "Kettle ☕", "price": "19.90", "odd \"name'": "12345678901234567890.123456789", "qty": 629, "sold": true,
        "made": "2026-01-02T03:04:05+00:00", "day": "2026-01-02", "tags": { "a": [1, null] }, "weight": 0.1, "words": ["x", "y"]
    });
    assert_eq!(read(&source, "237").await, Some(kettle));
    let bare = read(&source, "238").await.expect("a row");
    assert_eq!((&bare["price"], &bare["weight"], &bare["tags"]), (&Value::Null, &json!("Infinity"), &Value::Null));
    for stranger in ["0", "x", "", "237 OR 1=1", "99999999999999", "'; DROP TABLE inventory; --", "é\0"] {
        assert_eq!(read(&source, stranger).await, None, "{stranger:?}");
    }
    let by = |query| Sql::connect(&server.url(), Some(query)).expect("an address");
    let photos = by("SELECT * FROM photos WHERE id = $1");
    assert!(matches!(photos.read("a").await, Err(SourceError::Unfit(why)) if why.contains("picture")));
    let named = by("SELECT id FROM photos WHERE id = $1;");
    assert_eq!((read(&named, "a").await, read(&named, "é\0").await), (Some(json!({ "id": "a" })), None));
    let uuid = by("SELECT n FROM by_uuid WHERE id = $1");
    assert!(matches!(uuid.read("x").await, Err(SourceError::Unfit(why)) if why.contains("$1::text::UUID")));
    let uuid = by("SELECT n FROM by_uuid WHERE id = $1::text::uuid");
    assert_eq!(read(&uuid, "6f1c1a3e-0000-4000-8000-000000000001").await, Some(json!({ "n": 7 })));
    let writes = by("DELETE FROM inventory WHERE id = $1 RETURNING id");
    assert!(matches!(writes.read("237").await, Err(SourceError::Unavailable(_))), "nothing is written");
    assert!(matches!(by("SELECT 1").read("1").await, Err(SourceError::Unfit(_))));
    assert!(matches!(by("SELECT * FROM nowhere WHERE id = $1").read("1").await, Err(SourceError::Unavailable(_))));
    postgres(
        &server,
        &["ALTER TABLE inventory ADD COLUMN fresh int DEFAULT 5", "UPDATE inventory SET price = 20.00 WHERE id = 237"],
    )
    .await;
    let changed = read(&source, "237").await.expect("a row");
    assert_eq!((&changed["fresh"], &changed["price"]), (&json!(5), &json!("20.00")), "a table may change its shape");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn h160_postgres_that_goes_away_comes_back() {
    let server = Postgres::start();
    postgres(&server, &["CREATE TABLE inventory (id int PRIMARY KEY, qty int)", "INSERT INTO inventory VALUES (1, 5)"]).await;
    let stand = Stand::memory().await;
    let source = Arc::new(Sql::connect(&server.url(), None).expect("an address"));
    let mut node = stand.node_of(source, exact());
    let mut changes = node.rows.changed();
    node.rows.keep("1", 10.0).await.expect("kept");
    node.settle().await;
    assert_eq!((changes.heard(), stand.inv("1").await), (Some(Changed::Row("1".into())), Some(json!({ "id": 1, "qty": 5 }))));
    server.stop();
    stand.clock.advance(Span(10_000));
    node.settle().await;
    assert!(matches!(node.rows.refresh("1").await, Err(RowsError::Source(SourceError::Unavailable(_)))));
    let seen = node.rows.seen("1").await.expect("readable").expect("kept");
    assert_eq!((seen.failures, seen.row.expect("the old row").age(stand.clock.now())), (2, Span(10_000)));
    server.restart();
    postgres(&server, &["UPDATE inventory SET qty = 4"]).await;
    until("the database", async || node.rows.refresh("1").await.is_ok()).await;
    assert_eq!(stand.inv("1").await, Some(json!({ "id": 1, "qty": 4 })));
    postgres(&server, &["DELETE FROM inventory"]).await;
    stand.clock.advance(Span(10_000));
    node.settle().await;
    assert_eq!(stand.inv("1").await, None);
}
