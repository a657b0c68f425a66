//! The door that speaks gRPC, tried by a client that was not written here: Python's, in a folder of its own.

use crate::shell::{go, root};
use crate::{Outcome, pip};

/// With these versions it was seen to work; another list is installed anew.
const PACKAGES: &[&str] = &[
    "grpcio==1.85.1",
    "grpcio-health-checking==1.85.1",
    "grpcio-reflection==1.85.1",
    "grpcio-status==1.85.1",
    "grpcio-tools==1.85.1",
];

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
