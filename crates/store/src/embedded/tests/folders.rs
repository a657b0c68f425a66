//! Opening, opening again, and everything that must not be opened.

use super::super::*;
use super::conforms::{no_reserve, short_log};
use crate::conformance::{SteppedClock, commit, history, put, room, set};
use crate::records::{Operation, Query};
use crate::shapes::Value;

fn open(path: &Path) -> Result<Embedded, OpenError> {
    Embedded::open(path, SteppedClock::new(Millis(1_000)).shared(), no_reserve())
}

fn refused(path: &Path) -> OpenError {
    open(path).err().expect("it is refused")
}

#[tokio::test]
async fn what_was_kept_is_there_after_opening_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = open(folder.path()).expect("a new folder opens");
    let mut at = history(&store, &room("r"), 300).await;
    at = store.append(&room("r"), Some(at), commit(9, "x", vec![put("k", "v"), set("h", "f", "1")])).await.expect("kept");
    let put = Operation::Put { key: "t".into(), value: Value::Text("v".into()), deadline: None };
    store.apply(Batch { operations: vec![put], ..Batch::default() }).await.expect("kept");
    let before = (store.load(&room("r")).await, store.since(&room("r"), at).await);
    for _ in 0..3 {
        let store = {
            drop(store.clone());
            open_again(folder.path(), &store).await
        };
        assert_eq!((store.load(&room("r")).await, store.since(&room("r"), at).await), before);
        assert_eq!(store.read("", vec![Query::Whole("t".into())]).await, Ok(vec![Answer::Whole(Value::Text("v".into()))]));
    }
}

#[tokio::test]
async fn a_folder_with_a_log_is_opened_with_it_also_by_whoever_would_make_none() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let clock = SteppedClock::new(Millis(1_000));
    let store = Embedded::open(folder.path(), clock.shared(), short_log()).expect("a new folder opens");
    let at = history(&store, &room("r"), 20).await;
    let again = open_again(folder.path(), &store).await;
    assert_eq!(again.load(&room("r")).await.expect("readable").expect("there").place, at);
}

/// While one handle lives the folder is taken; this copies it, as a crash would leave it, and opens the copy.
async fn open_again(path: &Path, _alive: &Embedded) -> Embedded {
    let copy = tempfile::tempdir().expect("a temporary folder");
    copy_folder(path, copy.path());
    open(&copy.keep()).expect("what a crash leaves opens")
}

pub(super) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("created");
    for entry in std::fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}

#[tokio::test]
async fn closing_frees_the_folder_and_numbers_go_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut at = None;
    for mark in 0..5 {
        let store = open(folder.path()).expect("it opens");
        at = Some(store.append(&room("r"), at, commit(mark, "x", vec![put("k", "v")])).await.expect("follows"));
        store.append(&room(&mark.to_string()), None, commit(1, "x", vec![set("h", "f", &mark.to_string())])).await.expect("kept");
    }
    let store = open(folder.path()).expect("it opens");
    for mark in 0..5 {
        let loaded = store.load(&room(&mark.to_string())).await.expect("readable").expect("there");
        let hash = Value::Hash([("f".into(), bytes::Bytes::from(mark.to_string()))].into());
        assert_eq!(loaded.records, [("h".into(), hash)], "no number was given out twice");
    }
}

#[tokio::test]
async fn a_second_opening_is_told_who_has_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let _store = open(folder.path()).expect("a new folder opens");
    let error = refused(folder.path());
    assert!(matches!(error, OpenError::InUse { .. }));
    assert!(error.to_string().contains(&format!("another parlor process (pid {})", std::process::id())), "{error}");
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    drop(open(folder.path()).expect("a new folder opens"));
    std::fs::write(folder.path().join("format"), "parlor store, format 2\n").expect("written");
    assert!(matches!(refused(folder.path()), OpenError::NewerFormat { found: 2, .. }));
    std::fs::write(folder.path().join("format"), "something else").expect("written");
    assert!(matches!(refused(folder.path()), OpenError::Damaged { .. }));
    std::fs::write(folder.path().join("format"), "parlor store, format 1\n").expect("written");
    open(folder.path()).expect("nothing was touched");
}

#[test]
fn a_folder_with_something_else_in_it_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("thesis.txt"), "years of work").expect("written");
    assert!(matches!(refused(folder.path()), OpenError::NotAStore { .. }));
    assert_eq!(std::fs::read_dir(folder.path()).expect("readable").count(), 1, "nothing was added");
    let file = folder.path().join("thesis.txt");
    assert!(matches!(refused(&file), OpenError::Io { .. }));
}

#[tokio::test]
async fn a_folder_that_was_never_finished_is_begun_again() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    drop(open(folder.path()).expect("a new folder opens"));
    // What a crash in the middle of making it leaves: no format yet, and the engine's files half there.
    std::fs::remove_file(folder.path().join("format")).expect("removed");
    std::fs::write(folder.path().join("creating"), "").expect("written");
    std::fs::remove_file(folder.path().join("db").join("version")).expect("removed");
    let store = open(folder.path()).expect("it is begun again");
    history(&store, &room("r"), 3).await;
}

#[tokio::test]
async fn a_backup_of_a_live_store_opens_as_any_other() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = open(&folder.path().join("live")).expect("a new folder opens");
    for n in 0..50 {
        let writes = vec![put("k", &"v".repeat(50_000)), set("h", "f", &n.to_string())];
        store.append(&room(&n.to_string()), None, commit(n, "x", writes)).await.expect("kept");
    }
    let (target, mut heard) = (folder.path().join("copy"), Vec::new());
    let report = store.backup(&target, &mut |keys| heard.push(keys)).expect("copied");
    assert!(report.keys > 150 && report.bytes > 50 * 50_000 && heard.len() > 1, "{report:?} {heard:?}");
    assert!(heard.is_sorted() && heard.last() == Some(&report.keys));
    assert!(matches!(store.backup(&target, &mut |_| {}), Err(BackupError::NotEmpty(_))));
    store.append(&room("later"), None, commit(1, "x", vec![])).await.expect("kept");
    let copy = open(&target).expect("the copy opens");
    for n in 0..50 {
        let name = room(&n.to_string());
        assert_eq!(copy.load(&name).await, store.load(&name).await);
    }
    assert_eq!(copy.load(&room("later")).await, Ok(None));
    copy.append(&room("new here"), None, commit(1, "x", vec![set("h", "f", "1")])).await.expect("it goes on from there");
}

#[tokio::test]
async fn a_full_queue_says_busy_at_once() {
    let clock = SteppedClock::new(Millis(1_000));
    let options = Options { queue_bytes_max: 1000, ..no_reserve() };
    let (store, commits) = Embedded::with_disk(Arc::new(ModelDisk::new()), clock.shared(), options).expect("it opens");
    let waiting: Vec<_> = (0..3)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move { store.append(&room(&n.to_string()), None, commit(1, "x", vec![])).await })
        })
        .collect();
    tokio::task::yield_now().await;
    let refused = store.append(&room("r"), None, commit(1, &"x".repeat(500), vec![])).await;
    assert_eq!(refused, Err(StoreError::Busy));
    tokio::spawn(commits.run(tokio::task::yield_now));
    for append in waiting {
        append.await.expect("no panic").expect("kept");
    }
    assert!(store.append(&room("r"), None, commit(1, &"x".repeat(500), vec![])).await.is_ok());
}
