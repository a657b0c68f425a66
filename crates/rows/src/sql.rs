//! Rows of a real database: SQLite or PostgreSQL, asked by one query that knows the row by its id.
//!
//! Nothing is ever written there. A column becomes what JSON has for it; what JSON has nothing for is refused, by name.

mod postgres;
mod sqlite;

use crate::source::{Columns, Source, SourceError};
use async_trait::async_trait;
use postgres::Postgres;
use sqlite::Sqlite;
use std::time::Duration;

/// Connections to the database at most.
const CONNECTIONS_MAX: u32 = 8;
/// How long a reading waits for a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

pub struct Sql(Database);

enum Database {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

impl Sql {
    /// A database at `sqlite:PATH` or `postgres://…`, and the query that gives one row by its id, `?1` or `$1`. Nothing is
    /// connected before the first reading: a database that is away comes back by itself. Must be called within a runtime.
    pub fn connect(url: &str, query: Option<&str>) -> Result<Sql, String> {
        let failed = |error: sqlx::Error| format!("the rows' database cannot be used: {error}");
        if url.starts_with("sqlite:") {
            return Ok(Sql(Database::Sqlite(Sqlite::connect(url, query).map_err(failed)?)));
        }
        if url.starts_with("postgres:") || url.starts_with("postgresql:") {
            return Ok(Sql(Database::Postgres(Postgres::connect(url, query).map_err(failed)?)));
        }
        Err("the rows' database is sqlite:PATH or postgres://USER@HOST/DATABASE".into())
    }
}

#[async_trait]
impl Source for Sql {
    async fn read(&self, row: &str) -> Result<Option<Columns>, SourceError> {
        match &self.0 {
            Database::Sqlite(sqlite) => sqlite.read(row).await,
            Database::Postgres(postgres) => postgres.read(row).await,
        }
    }
}

fn unavailable(error: &sqlx::Error) -> SourceError {
    SourceError::Unavailable(error.to_string())
}

fn blob(column: &str) -> SourceError {
    SourceError::Unfit(format!("the column {column} holds bytes; leave it out of the query, or make it text there"))
}
