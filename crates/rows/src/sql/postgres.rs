//! Rows of PostgreSQL, which makes the JSON itself: timestamps in ISO 8601, documents as they are.
//!
//! Two things are not left to it: exact numbers become text, because JSON's readers would round them and drop the last zero of a
//! price; and bytes are refused. The id is given in the type that the query wants.

use super::{CONNECT_WITHIN, CONNECTIONS_MAX, blob, unavailable};
use crate::source::{Columns, SourceError};
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPool, PgPoolOptions, PgStatement};
use sqlx::{Arguments, AssertSqlSafe, Column, Either, Error, Executor, Row, SqlSafeStr, Statement, TypeInfo};
use std::sync::Arc;

const QUERY: &str = "SELECT * FROM inventory WHERE id = $1";
/// The server ends what nobody waits for any more.
const STATEMENT_WITHIN: &str = "15s";

pub(super) struct Postgres {
    pool: PgPool,
    query: Arc<str>,
}

impl Postgres {
    pub(super) fn connect(url: &str, query: Option<&str>) -> Result<Postgres, Error> {
        let options: PgConnectOptions = url.parse()?;
        let safe = [("statement_timeout", STATEMENT_WITHIN), ("default_transaction_read_only", "on")];
        let options = options.application_name("parlor-rows").options(safe);
        let pool = PgPoolOptions::new().max_connections(CONNECTIONS_MAX).acquire_timeout(CONNECT_WITHIN);
        let query = query.unwrap_or(QUERY).trim_end().trim_end_matches(';').into();
        Ok(Postgres { pool: pool.connect_lazy_with(options), query })
    }

    pub(super) async fn read(&self, row: &str) -> Result<Option<Columns>, SourceError> {
        let failed = |error: Error| unavailable(&error);
        let mut connection = self.pool.acquire().await.map_err(failed)?;
        // The query is the shop's own setting; the id is bound and never part of it. Connections remember what they prepared.
        let asked = AssertSqlSafe(self.query.clone()).into_sql_str();
        let statement = connection.prepare(asked).await.map_err(failed)?;
        let Some(id) = id(&statement, row)? else { return Ok(None) };
        let query = sqlx::query_with(AssertSqlSafe(as_json(&self.query, &statement)?), id);
        let found = query.fetch_optional(&mut *connection).await.map_err(failed)?;
        let Some(found) = found else { return Ok(None) };
        let sqlx::types::Json(columns) = found.try_get(0).map_err(failed)?;
        Ok(Some(columns))
    }
}

/// The id as the one argument of the query, in the type it is compared with; nothing when no row can have such an id.
fn id(statement: &PgStatement, row: &str) -> Result<Option<PgArguments>, SourceError> {
    let unfit = |why: String| SourceError::Unfit(why);
    let Some(Either::Left([kind])) = statement.parameters() else {
        return Err(unfit("the query needs the row's id as its one parameter, $1".into()));
    };
    let mut arguments = PgArguments::default();
    let added = match kind.name() {
        "INT2" => row.parse::<i16>().ok().map(|id| arguments.add(id)),
        "INT4" => row.parse::<i32>().ok().map(|id| arguments.add(id)),
        "INT8" => row.parse::<i64>().ok().map(|id| arguments.add(id)),
        // No text of PostgreSQL holds a NUL.
        "TEXT" | "VARCHAR" | "CHAR" | "BPCHAR" | "NAME" => (!row.contains('\0')).then(|| arguments.add(row)),
        other => {
            return Err(unfit(format!("the query compares the row's id with {other}; write $1::text::{other} there")));
        }
    };
    added.transpose().map(|added| added.map(|()| arguments)).map_err(|error| unfit(error.to_string()))
}

/// The query with its row as one JSON document.
fn as_json(query: &str, statement: &PgStatement) -> Result<String, SourceError> {
    let mut exact = String::new();
    for column in statement.columns() {
        match column.type_info().name() {
            "BYTEA" | "BYTEA[]" => return Err(blob(column.name())),
            "NUMERIC" => {
                let name = column.name();
                let (text, column) = (name.replace('\'', "''"), name.replace('"', "\"\""));
                exact += &format!(" || jsonb_build_object('{text}', the_row.\"{column}\"::text)");
            }
            _ => {}
        }
    }
    Ok(format!("SELECT to_jsonb(the_row){exact} FROM ({query}) AS the_row"))
}
