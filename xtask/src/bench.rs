//! `cargo xtask bench`: the numbers in docs/benchmarks.md, made again on this machine.

use crate::{Outcome, shell};

pub(crate) fn run(args: &[String]) -> Outcome {
    // The generator starts the server as a process of its own, so the server must be built the same way first.
    shell::go(shell::cargo(&["build", "--release", "--package", "parlor"]))?;
    shell::go(shell::cargo(&["build", "--release", "--package", "parlor-edge", "--example", "edge"]))?;
    let mut command = shell::cargo(&["run", "--release", "--package", "parlor-bench", "--"]);
    if args.first().is_none_or(|word| word.starts_with("--")) {
        command.arg("all");
    }
    command.args(args);
    shell::go(command)
}
