//! Rows of SQLite, which knows the shape of each value rather than of each column.

use super::{CONNECT_WITHIN, CONNECTIONS_MAX, blob, unavailable};
use crate::source::{Columns, SourceError};
use serde_json::{Number, Value};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions, SqliteRow};
use sqlx::{AssertSqlSafe, Column, Error, Row, TypeInfo, ValueRef};
use std::sync::Arc;

const QUERY: &str = "SELECT * FROM inventory WHERE id = ?1";

pub(super) struct Sqlite {
    pool: SqlitePool,
    query: Arc<str>,
}

impl Sqlite {
    pub(super) fn connect(url: &str, query: Option<&str>) -> Result<Sqlite, Error> {
        let options: SqliteConnectOptions = url.parse::<SqliteConnectOptions>()?.read_only(true).create_if_missing(false);
        let pool = SqlitePoolOptions::new().max_connections(CONNECTIONS_MAX).acquire_timeout(CONNECT_WITHIN);
        Ok(Sqlite { pool: pool.connect_lazy_with(options), query: query.unwrap_or(QUERY).into() })
    }

    pub(super) async fn read(&self, row: &str) -> Result<Option<Columns>, SourceError> {
        // The query is the shop's own setting; the id is bound and never part of it.
        let query = sqlx::query(AssertSqlSafe(self.query.clone())).bind(row);
        let found = query.fetch_optional(&self.pool).await.map_err(|error| unavailable(&error))?;
        found.map(|row| columns(&row)).transpose()
    }
}

fn columns(row: &SqliteRow) -> Result<Columns, SourceError> {
    row.columns().iter().map(|column| Ok((column.name().to_owned(), value(row, column)?))).collect()
}

fn value(row: &SqliteRow, column: &impl Column) -> Result<Value, SourceError> {
    let (index, failed) = (column.ordinal(), |error: Error| unavailable(&error));
    let raw = row.try_get_raw(index).map_err(failed)?;
    if raw.is_null() {
        return Ok(Value::Null);
    }
    let kind = raw.type_info().name().to_owned();
    Ok(match &*kind {
        // SQLite has no booleans; the column's declaration says which whole numbers are meant as such.
        "BOOLEAN" => Value::Bool(row.try_get_unchecked::<i64, _>(index).map_err(failed)? != 0),
        "INTEGER" if column.type_info().name() == "BOOLEAN" => {
            Value::Bool(row.try_get_unchecked::<i64, _>(index).map_err(failed)? != 0)
        }
        "INTEGER" => Value::from(row.try_get_unchecked::<i64, _>(index).map_err(failed)?),
        "REAL" => real(row.try_get_unchecked::<f64, _>(index).map_err(failed)?),
        "TEXT" => Value::String(row.try_get_unchecked::<String, _>(index).map_err(failed)?),
        "BLOB" => return Err(blob(column.name())),
        other => return Err(SourceError::Unfit(format!("the column {} holds {other}", column.name()))),
    })
}

/// JSON has no infinities; they are named, as PostgreSQL does.
fn real(number: f64) -> Value {
    let named = if number > 0.0 { "Infinity" } else { "-Infinity" };
    Number::from_f64(number).map_or_else(|| Value::String(named.into()), Value::Number)
}
