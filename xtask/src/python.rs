//! Tried by clients that were not written here, Python's, in folders of their own: the door that speaks gRPC, the shop's keys in
//! Redis, and rooms in a DynamoDB table.

use crate::shell::{go, root};
use crate::{Outcome, ministack, pip};

/// With these versions it was seen to work; another list is installed anew.
const PACKAGES: &[&str] = &[
    "grpcio==1.85.1",
    "grpcio-health-checking==1.85.1",
    "grpcio-reflection==1.85.1",
    "grpcio-status==1.85.1",
    "grpcio-tools==1.85.1",
];

/// The book's four tests of a shop, looked at with Redis's own Python client.
pub(crate) fn book() -> Outcome {
    let home = pip::home("book")?;
    pip::install(&home, &["redis==8.1.0"], pip::Needs::Too)?;
    let here = std::env::current_exe().map_err(|error| format!("cannot find out where xtask lies: {error}"))?;
    let mut play = pip::python(&home);
    play.current_dir(root());
    play.arg("crates/server/tests/python/book.py").arg(here.with_file_name("parlor"));
    go(play)
}

/// Amazon's client, and the second server that its table is read on; the first is ministack.
const AMAZON: &[&str] = &["boto3==1.44.0", "moto[server]==5.2.5"];

/// Live rooms in a DynamoDB table, looked at with Amazon's own Python client.
pub(crate) fn items() -> Outcome {
    ministack::install()?;
    let home = pip::home("items")?;
    pip::install(&home, AMAZON, pip::Needs::Too)?;
    let here = std::env::current_exe().map_err(|error| format!("cannot find out where xtask lies: {error}"))?;
    let mut play = pip::python(&home);
    play.current_dir(root());
    play.arg("crates/server/tests/python/items.py").arg(here.with_file_name("parlor")).arg(pip::home("ministack")?);
    go(play)
}

/// Two people estimate a story, against the server that the build lane has built.
pub(crate) fn lane() -> Outcome {
    let home = pip::home("python")?;
    pip::install(&home, PACKAGES, pip::Needs::Too)?;
    let here = std::env::current_exe().map_err(|error| format!("cannot find out where xtask lies: {error}"))?;
    let mut play = pip::python(&home);
    play.current_dir(root());
    play.arg("crates/server/tests/python/estimate.py").arg(here.with_file_name("parlor")).arg("proto");
    go(play)
}
