//! Small trees that tidy must and must not complain about; a tidy that finds nothing proves nothing.

use super::{File, findings};

fn file(path: &str, text: &str) -> File {
    File { path: path.into(), text: text.into() }
}

/// The lines found in one file that stands alone, as `line: part of the reason`.
#[track_caller]
fn check(path: &str, text: &str, expected: &[(usize, &str)]) {
    let header = if path.ends_with(".rs") { "//! A module.\n" } else { "" };
    let found = findings(&[file(path, &format!("{header}{text}"))]);
    let lines = header.lines().count();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, (line, part)) in found.iter().zip(expected) {
        assert!(found.line == line + lines && found.why.contains(part), "{found} should be on line {line} and say {part:?}");
    }
}

#[test]
fn the_pure_crates_have_no_outside() {
    check("crates/rules/src/a.rs", "async fn f() {}", &[(1, "nothing here waits")]);
    check("crates/rules/src/a.rs", "fn f() { g().await; }", &[(1, "nothing here waits")]);
    check("crates/layout/src/a.rs", "\nuse std::time::{Duration, Instant};", &[(2, "time comes in")]);
    check("crates/layout/src/a.rs", "use std::{fmt, fs, io::Read};", &[(1, "`std::fs`")]);
    check("crates/rules/src/a.rs", "let x: u64 = rand::random();", &[(1, "dice")]);
    check("crates/rules/src/a.rs", "use std::collections::HashMap;", &[(1, "its order")]);
    check("crates/rules/src/a.rs", "// An Instant, async, rand.\nfn brand() -> &'static str { \"async rand\" }", &[]);
    check("crates/rules/src/a.rs", "#[cfg(test)]\nmod tests { use std::fs; fn f() { HashSet::new(); } }", &[]);
    check("crates/rules/src/a.rs", "#[cfg(test)]\nmod tests { fn f() {} }\nuse std::fs;", &[(3, "`std::fs`")]);
    check("crates/engine/src/a.rs", "async fn f() { tokio::time::Instant::now(); }", &[]);
}

#[test]
fn a_module_declared_for_tests_is_a_test() {
    let parent = file("crates/rules/src/poker.rs", "//! Poker.\n#[cfg(test)]\nmod book;\nmod view;");
    let tree = |path| [file(&parent.path, &parent.text), file(path, "//! A module.\nuse std::fs;")];
    assert_eq!(findings(&tree("crates/rules/src/poker/book.rs")), []);
    assert_eq!(findings(&tree("crates/rules/src/poker/book/page.rs")), []);
    assert_eq!(findings(&tree("crates/rules/src/poker/view.rs")).len(), 1);
    assert_eq!(findings(&tree("crates/rules/src/poker/bookkeeper.rs")).len(), 1);
}

#[test]
fn the_store_has_never_heard_of_a_vote() {
    check("crates/store/src/a.rs", "struct VoteCount;", &[(1, "\"Vote\"")]);
    check("crates/store/src/a.rs", "let key = \"room:votes\";", &[(1, "\"votes\"")]);
    check("crates/store/src/a.rs", "let open_session = 1;", &[(1, "\"session\"")]);
    check("crates/store/src/a.rs", "// A vote, say.\nfn discard(wildcard: Sender<u8>) {}", &[]);
    check("crates/store/src/a.rs", "use parlor_rules::time::Millis;\nuse parlor_rules::position::Place;", &[]);
    check("crates/store/src/a.rs", "use parlor_rules::{position::Place, time::Millis, Kind};", &[(1, "`parlor_rules::Kind`")]);
    check("crates/engine/src/a.rs", "struct VoteCount;", &[]);
}

#[test]
fn only_the_server_reads_the_environment_and_listens() {
    check("crates/engine/src/a.rs", "let home = std::env::var(\"HOME\");", &[(1, "only the server reads")]);
    check("crates/store/src/a.rs", "use tokio::net::TcpListener;\nTcpListener::bind(at);", &[(2, "only the server listens")]);
    check("crates/sim/src/main.rs", "let words = std::env::args().skip(1);", &[]);
    check("crates/server/src/a.rs", "std::env::var(name); TcpListener::bind(at);", &[]);
    check("crates/client/tests/a.rs", "std::env::var(name); TcpListener::bind(at);", &[]);
    check("crates/store/examples/a.rs", "std::env::args();", &[]);
    check("crates/engine/src/a.rs", "const NAME: &str = env!(\"CARGO_PKG_NAME\");", &[]);
}

#[test]
fn arrows_point_one_way() {
    let manifest = |dependency: &str| format!("[package]\nname = \"x\"\n\n[dependencies]\n{dependency}\n");
    check("crates/store/Cargo.toml", &manifest("parlor-rules.workspace = true\ntokio.workspace = true"), &[]);
    check("crates/store/Cargo.toml", &manifest("parlor-layout = { path = \"../layout\" }"), &[(5, "store may not use layout")]);
    check("crates/wire/Cargo.toml", &manifest("parlor-engine.workspace = true"), &[(5, "wire may not use engine")]);
    check(
        "crates/engine/Cargo.toml",
        &manifest("w = { package = \"parlor-wire\", version = \"1\" }"),
        &[(5, "may not use wire")],
    );
    check(
        "crates/server/Cargo.toml",
        &manifest("parlor-engine.workspace = true\nparlor-sim.workspace = true"),
        &[(6, "may not use sim")],
    );
    check("crates/rules/Cargo.toml", &manifest("imbl.workspace = true\ntokio.workspace = true"), &[(6, "no tenant tokio")]);
    check("crates/rules/Cargo.toml", "[dependencies.getrandom]\nversion = \"1\"", &[(1, "no tenant getrandom")]);
    check("crates/rules/Cargo.toml", "[dev-dependencies]\nproptest.workspace = true\n[dev-dependencies.insta]", &[]);
    check("crates/cellar/Cargo.toml", &manifest(""), &[(0, "a crate without arrows")]);
}

#[test]
fn nothing_is_left_out_or_left_undone() {
    check("crates/wire/tests/a.rs", "#[test]\n#[ignore]\nfn f() {}", &[(2, "ignored")]);
    check("crates/wire/src/a.rs", "fn f() { todo!() }\nfn g() { unimplemented!(\"x\") }", &[(1, "todo"), (2, "unimplemented")]);
    check("crates/wire/src/a.rs", "// todo!() and #[ignore]\nlet x = list.iter().skip(1);", &[]);
    check("web/src/a.test.ts", "it.skip(\"works\", () => {});", &[(1, "it.skip")]);
    check("web/src/a.test.ts", "it(\"works\", () => {});", &[]);
}

#[test]
fn files_are_files_of_this_house() {
    assert_eq!(findings(&[file("crates/wire/src/mod.rs", "//! A module.")]).len(), 1);
    assert_eq!(findings(&[file("crates/wire/src/a.rs", "pub fn f() {}")]).len(), 1);
    assert_eq!(findings(&[file("docs/a.md", &"a line\n".repeat(601))]), []);
    assert_eq!(findings(&[file("web/a.ts", &"a();\n".repeat(600))]), []);
    assert_eq!(findings(&[file("web/a.ts", &"a();\n".repeat(601))]).len(), 1);
}

#[test]
fn nobodys_machine_is_mentioned() {
    let home = concat!("/ho", "me/");
    check("README.md", &format!("cd {home}me"), &[(1, "somebody's machine")]);
    check("docs/a.md", &format!("file://{home}me/x"), &[(1, "somebody's machine")]);
    check("docs/a.md", &format!("https://example.com{home}page"), &[]);
    check("docs/a.md", concat!("the frame", "/wo", "rk/ and ~/wo", "rk/"), &[]);
}

#[test]
fn the_page_of_hazards_is_true() {
    let row = |id: &str, cell: &str| format!("| {id} | what | {cell} |\n");
    let test = "crates/engine/tests/it/a.rs::h01_a_test";
    let others = super::hazards::all().filter(|id| id != "H01").map(|id| row(&id, "no lock exists")).collect::<String>();
    let found = |page: String, source: &str| {
        let source = file("crates/engine/tests/it/a.rs", &format!("//! Tests.\n{source}"));
        findings(&[file("docs/hazards.md", &page), source]).iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let whole = format!("{}{others}", row("H01", &format!("`{test}`")));
    assert_eq!(found(whole.clone(), "async fn h01_a_test() {}"), "");
    assert!(found(whole.clone(), "fn h01_another() {}").contains("no test crates/engine/tests/it/a.rs::h01_a_test"));
    assert!(found(whole.clone(), "fn h01_a_test() {}\nfn x14_new() {}").contains("x14_new is not on the page"));
    assert!(found(others.clone(), "").contains("H01 is missing"));
    assert!(found(format!("{}{others}", row("H01", "")), "").contains("neither a test nor a reason"));
}
