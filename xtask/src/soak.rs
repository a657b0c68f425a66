//! `cargo xtask soak`: what takes too long for every change.

use crate::{Outcome, shell};

/// Name, and the cargo command that runs it; flags given on the command line follow.
const SOAKS: &[(&str, &[&str])] = &[
    ("store", &["run", "--release", "--package", "parlor-store", "--example", "soak", "--"]),
    ("sim", &["run", "--release", "--package", "parlor-sim", "--bin", "parlor-sim", "--", "--seeds", "100000"]),
];

pub(crate) fn run(args: &[String]) -> Outcome {
    let named = args.first().and_then(|name| SOAKS.iter().find(|(soak, _)| soak == name));
    let (chosen, flags) = match named {
        Some(one) => (std::slice::from_ref(one), &args[1..]),
        None if args.is_empty() => (SOAKS, args),
        None => return Err(format!("soak takes `store` or `sim` first, then their flags; not {:?}", args[0])),
    };
    for (_, command) in chosen {
        let mut command = shell::cargo(command);
        command.args(flags);
        shell::go(command)?;
    }
    Ok(())
}
