//! `cargo xtask run`: Parlor as a person would start it, from nothing.

use crate::{Outcome, pages, shell};

const LISTEN: &str = "127.0.0.1:7007";
const STORE: &str = "embedded:./parlor-data";

pub(crate) fn run(args: &[String]) -> Outcome {
    let args = arguments(args, |variable| std::env::var_os(variable).is_some());
    let said = |flag, variable| {
        let given = args.iter().skip_while(|word| **word != flag).nth(1).map(|word| word.to_string());
        given.or_else(|| std::env::var(variable).ok()).unwrap_or_default()
    };
    let (listen, store) = (said("--listen", "PARLOR_LISTEN"), said("--store", "PARLOR_STORE"));
    println!("Building Parlor; the first time takes a few minutes.");
    if pages::has_node() {
        pages::build()?;
    } else {
        println!("Without Node.js the pages cannot be built; the API and the terminal commands work all the same.");
    }
    println!("Then open http://{listen} . Rooms are kept in {store}. Ctrl-C stops it.");
    let mut command = shell::cargo(&["run", "--release", "--package", "parlor", "--", "serve"]);
    command.args(args);
    replace_us(command)
}

/// What was given, and our defaults for what neither a flag nor the environment says.
fn arguments(given: &[String], is_set: impl Fn(&str) -> bool) -> Vec<&str> {
    let mut args: Vec<&str> = given.iter().flat_map(|word| split(word)).collect();
    for (flag, variable, value) in [("--listen", "PARLOR_LISTEN", LISTEN), ("--store", "PARLOR_STORE", STORE)] {
        if !args.contains(&flag) && !is_set(variable) {
            args.extend([flag, value]);
        }
    }
    args
}

/// `--store=memory:` is two words to us.
fn split(word: &str) -> Vec<&str> {
    match word.split_once('=') {
        Some((flag, value)) if flag.starts_with("--") => vec![flag, value],
        _ => vec![word],
    }
}

/// Become the server, so that it alone hears Ctrl-C and can finish what it has promised.
#[cfg(unix)]
fn replace_us(mut command: std::process::Command) -> Outcome {
    use std::os::unix::process::CommandExt;
    Err(format!("cargo could not be started: {}", command.exec()))
}

#[cfg(not(unix))]
fn replace_us(command: std::process::Command) -> Outcome {
    shell::go(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_wins_over_our_defaults() {
        let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        let check = |given: &str, expected: &str| assert_eq!(arguments(&words(given), |_| false).join(" "), expected);
        check("", "--listen 127.0.0.1:7007 --store embedded:./parlor-data");
        check("--store memory:", "--store memory: --listen 127.0.0.1:7007");
        check("--store=memory: --listen=[::1]:1", "--store memory: --listen [::1]:1");
        assert_eq!(arguments(&[], |variable| variable == "PARLOR_STORE").join(" "), "--listen 127.0.0.1:7007");
    }
}
