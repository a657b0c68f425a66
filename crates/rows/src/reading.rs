//! One reading of one row: bounded in time and bytes, and a source that panics is a source that failed.

use crate::claim::Claim;
use crate::row::Row;
use crate::settle::{Outcome, lives};
use crate::source::{Columns, Source, SourceError};
use crate::terms::Terms;
use parlor_rules::time::Millis;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// Reads the row of a claim. `now` is a moment after the claim was kept and before the reading begins.
pub(crate) async fn read(source: &Arc<dyn Source>, claim: &Claim, terms: &Terms, now: Millis) -> Outcome {
    // A task of its own keeps a panic to itself; the set ends it when nobody waits any more.
    let mut tasks = JoinSet::new();
    let (source, id) = (source.clone(), claim.id.clone());
    tasks.spawn(async move { source.read(&id).await });
    let within = Duration::from_millis(terms.read_within.0);
    match tokio::time::timeout(within, tasks.join_next()).await {
        Err(_) => Outcome::Failed(SourceError::TimedOut),
        Ok(Some(Ok(Ok(Some(columns))))) => row(claim, columns, terms, now).map_or_else(Outcome::Failed, Outcome::Read),
        Ok(Some(Ok(Ok(None)))) => Outcome::Missing,
        Ok(Some(Ok(Err(error)))) => Outcome::Failed(error),
        Ok(Some(Err(_)) | None) => Outcome::Failed(SourceError::Panicked),
    }
}

fn row(claim: &Claim, columns: Columns, terms: &Terms, read_at: Millis) -> Result<Row, SourceError> {
    let json = serde_json::to_vec(&columns).map_err(|error| SourceError::Unfit(error.to_string()))?;
    if json.len() > terms.row_bytes_max {
        return Err(SourceError::TooLarge { bytes: json.len(), bytes_max: terms.row_bytes_max });
    }
    Ok(Row { id: claim.id.clone(), json: json.into(), columns, read_at, until: read_at + lives(claim, terms) })
}
