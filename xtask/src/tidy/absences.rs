//! What must not be in which crate's Rust.

use super::Finding;
use super::rust::{Kind, Source, Token};

const PURE: &[&str] = &["rules", "layout"];

/// Words that bring the outside in, and what to do instead.
const IMPURE: &[(&str, &str)] = &[
    ("async", "nothing here waits"),
    ("await", "nothing here waits"),
    ("tokio", "nothing here waits"),
    ("SystemTime", "time comes in as an argument"),
    ("Instant", "time comes in as an argument"),
    ("rand", "dice come in as an argument"),
    ("getrandom", "dice come in as an argument"),
    ("HashMap", "its order is thrown by dice; OrdMap and BTreeMap have one"),
    ("HashSet", "its order is thrown by dice; OrdSet and BTreeSet have one"),
];

const OUTSIDE: &[&str] = &["fs", "net", "env", "thread", "process", "os"];

/// Words of the games and the shop. `sender` is missing because channels have senders too.
const DOMAIN: &[&str] = &[
    "poker", "vote", "voter", "ballot", "seat", "card", "deck", "reel", "cart", "player", "session", "visit", "guest", "shop",
    "reveal",
];

/// What the store may know of the rules: where a room stands, and when something was.
const STORE_READS: &[&str] = &["position", "time"];

/// Those who may read the environment and open doors; `testbed` is never part of what serves: it puts a proxy before the
/// servers that tests start, and looks for their programs in the user's cache.
const OUTDOORS: &[&str] = &["server", "bench", "xtask", "testbed", "demo"];

pub(super) fn findings(source: &Source<'_>, test_modules: &[String]) -> Vec<Finding> {
    let owner = owner(source.path);
    let is_test = source.is_test(test_modules);
    let in_test = |token: &Token<'_>| is_test || token.in_test;
    let mut found = Vec::new();
    let mut find = |token: &Token<'_>, why: String| found.push(Finding::new(source.path, token.line, why));

    if PURE.contains(&owner) {
        for token in source.tokens.iter().filter(|token| token.kind == Kind::Word && !in_test(token)) {
            if let Some((word, instead)) = IMPURE.iter().find(|(word, _)| *word == token.text) {
                find(token, format!("`{word}` in {owner}, which is pure: {instead}"));
            }
        }
        for token in source.below("std").iter().filter(|token| OUTSIDE.contains(&token.text) && !in_test(token)) {
            find(token, format!("`std::{}` in {owner}, which is pure: it touches nothing outside", token.text));
        }
    }

    if owner == "store" {
        for token in source.tokens.iter().filter(|token| token.kind != Kind::Mark) {
            for word in words(token.text).filter(|word| is_domain(word)) {
                find(token, format!("{word:?} in store, which keeps records and has never heard of what they mean"));
            }
        }
        for token in source.below("parlor_rules").iter().filter(|token| !STORE_READS.contains(&token.text)) {
            find(token, format!("`parlor_rules::{}` in store, which may read only {}", token.text, STORE_READS.join(" and ")));
        }
    }

    if !OUTDOORS.contains(&owner) {
        // A program's own command line is no environment.
        let arguments = |token: &Token<'_>| {
            let at = source.tokens.iter().position(|other| std::ptr::eq(other.text, token.text));
            at.is_some_and(|at| source.reads(at + 1, &[":", ":", "args"]))
        };
        // A build script is no part of the house, and cargo tells it everything this way.
        let builds = source.path.ends_with("/build.rs");
        let reads = |token: &Token<'_>| token.text == "env" && !builds && !in_test(token) && !arguments(token);
        for token in source.below("std").iter().filter(|token| reads(token)) {
            find(token, format!("`std::env` in {owner}: only the server reads the environment, the rest is told"));
        }
        for (index, token) in source.tokens.iter().enumerate().filter(|(_, token)| !in_test(token)) {
            let listener = ["TcpListener", "UnixListener", "UdpSocket"].iter().any(|kind| token.is(kind));
            if listener && source.reads(index + 1, &[":", ":", "bind"]) {
                find(token, format!("`{}::bind` in {owner}: only the server listens", token.text));
            }
        }
    }

    for (index, token) in source.tokens.iter().enumerate() {
        if source.reads(index, &["#", "[", "ignore"]) {
            find(token, "an ignored test: make it run or delete it".into());
        }
        for unfinished in ["todo", "unimplemented"] {
            if token.is(unfinished) && source.reads(index + 1, &["!"]) {
                find(token, format!("`{unfinished}!`: finish it, or refuse with a reason"));
            }
        }
    }
    found
}

/// `crates/store/src/x.rs` belongs to `store`, `xtask/src/x.rs` to `xtask`.
fn owner(path: &str) -> &str {
    let below = path.strip_prefix("crates/").unwrap_or(path);
    below.split('/').next().unwrap_or_default()
}

fn is_domain(word: &str) -> bool {
    let word = word.to_lowercase();
    DOMAIN.iter().any(|known| word.strip_prefix(known).is_some_and(|ending| matches!(ending, "" | "s")))
}

/// `VoteCast`, `vote_cast` and `"a vote"` all say vote.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(|part| {
        let letters: Vec<(usize, char)> = part.char_indices().collect();
        let humps = letters.windows(2).filter(|pair| pair[0].1.is_lowercase() && pair[1].1.is_uppercase()).map(|pair| pair[1].0);
        let cuts: Vec<usize> = std::iter::once(0).chain(humps).chain([part.len()]).collect();
        cuts.windows(2).map(|cut| &part[cut[0]..cut[1]]).collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_every_case() {
        let split = |text| words(text).collect::<Vec<_>>().join(" ");
        assert_eq!(split("castVote"), "cast Vote");
        assert_eq!(split("VoteCast"), "Vote Cast");
        assert_eq!(split("a_vote: 1"), "a vote  1");
        assert!(is_domain("Votes") && is_domain("SESSION"));
        assert!(!is_domain("wildcard") && !is_domain("devoted") && !is_domain("discard"));
    }
}
