//! Bits that turn and files that end early: the same data, or a clear refusal; never other data, never a panic.

use super::super::*;
use super::conforms::no_reserve;
use super::folders::copy_folder;
use crate::conformance::{Script, SteppedClock, commit, put, room, set};
use std::path::PathBuf;

const ROOMS: u64 = 40;
const COMMITS: u64 = 5;

fn open(path: &Path, options: Options) -> Result<Embedded, OpenError> {
    Embedded::open(path, SteppedClock::new(Millis(1_000)).shared(), options)
}

fn small_tables() -> Options {
    let options = no_reserve();
    Options { tuning: Tuning { memtable_bytes: 64 * 1024, ..options.tuning }, ..options }
}

/// Every room, as a good store reads it.
async fn everything(store: &Embedded) -> Result<Vec<Option<Loaded>>, StoreError> {
    let mut rooms = Vec::new();
    for n in 0..ROOMS {
        rooms.push(store.load(&room(&n.to_string())).await?);
    }
    Ok(rooms)
}

async fn fill(path: &Path, options: Options, value_bytes: usize) -> Vec<Option<Loaded>> {
    let store = open(path, options).expect("a new folder opens");
    for n in 0..ROOMS {
        let mut at = None;
        for mark in 0..COMMITS {
            let writes = vec![put("k", &"v".repeat(value_bytes)), set("h", &mark.to_string(), &n.to_string())];
            at = Some(store.append(&room(&n.to_string()), at, commit(mark, "x", writes)).await.expect("kept"));
        }
    }
    let all = everything(&store).await.expect("readable");
    drop(store);
    // A journal is made longer than what is in it; without that, copies are quick.
    for (_, path) in journal::journals(&path.join("db")).expect("readable") {
        let used = used(&std::fs::read(&path).expect("readable"));
        std::fs::OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(used as u64)).expect("shortened");
    }
    all
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The part of a file that holds something: journals are made longer than what is in them.
fn used(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}

/// Opens what was damaged and reads it all: it is as before, or it is refused. Answers whether it was refused.
async fn same_or_refused(path: &Path, good: &[Option<Loaded>], label: &str) -> bool {
    match open(path, small_tables()) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            true
        }
        Ok(store) => match everything(&store).await {
            Ok(found) => {
                assert!(found == good, "{label}: other data and nobody said so");
                false
            }
            Err(error) => {
                assert!(matches!(error, StoreError::Damaged(_) | StoreError::Unavailable(_)), "{label}: {error}");
                true
            }
        },
    }
}

async fn turn_bits(value_bytes: usize, tries: usize, only: &str) -> usize {
    let source = tempfile::tempdir().expect("a temporary folder");
    let good = fill(source.path(), small_tables(), value_bytes).await;
    let mut script = Script::new(7);
    let mut refused = 0;
    for attempt in 0..tries {
        let copy = tempfile::tempdir().expect("a temporary folder");
        copy_folder(source.path(), copy.path());
        let files: Vec<PathBuf> =
            files(&copy.path().join("db")).into_iter().filter(|path| path.to_string_lossy().contains(only)).collect();
        let path = &files[script.below(files.len() as u64) as usize];
        let mut bytes = std::fs::read(path).expect("readable");
        let used = used(&bytes);
        if used == 0 {
            continue;
        }
        let (at, bit) = (script.below(used as u64) as usize, script.below(8));
        bytes[at] ^= 1 << bit;
        std::fs::write(path, bytes).expect("written");
        let label = format!("attempt {attempt}: bit {bit} of byte {at} of {used} in {}", path.display());
        refused += usize::from(same_or_refused(copy.path(), &good, &label).await);
    }
    refused
}

#[tokio::test]
async fn a_turned_bit_in_a_journal_is_the_same_data_or_a_refusal() {
    let refused = turn_bits(20, 120, ".jnl").await;
    assert!(refused > 100, "nearly every bit of a journal matters: {refused}");
}

#[tokio::test]
async fn a_turned_bit_anywhere_is_the_same_data_or_a_refusal() {
    assert!(turn_bits(3000, 120, "").await > 0);
}

#[tokio::test]
async fn damage_in_the_middle_of_a_journal_leaves_the_files_as_they_are() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fill(folder.path(), no_reserve(), 20).await;
    let (_, path) = journal::journals(&folder.path().join("db")).expect("readable").pop().expect("a journal");
    let mut bytes = std::fs::read(&path).expect("readable");
    let middle = used(&bytes) / 2;
    bytes[middle] ^= 255;
    std::fs::write(&path, &bytes).expect("written");
    let error = open(folder.path(), no_reserve()).err().expect("it is refused");
    assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("restore a backup"), "{error}");
    assert!(std::fs::read(&path).expect("readable") == bytes, "nothing was cut off");
}

#[tokio::test]
async fn a_journal_that_lost_acked_commits_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fill(folder.path(), no_reserve(), 20).await;
    let (_, path) = journal::journals(&folder.path().join("db")).expect("readable").pop().expect("a journal");
    let bytes = std::fs::read(&path).expect("readable");
    // Exactly the last commit cut in half: to the journal alone this looks like a crash.
    std::fs::write(&path, &bytes[..used(&bytes) - 30]).expect("written");
    let error = open(folder.path(), no_reserve()).err().expect("it is refused");
    assert!(error.to_string().contains("acknowledged"), "{error}");
}

#[tokio::test]
async fn what_a_crash_leaves_half_written_is_cut_off() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let good = fill(folder.path(), no_reserve(), 20).await;
    let (_, path) = journal::journals(&folder.path().join("db")).expect("readable").pop().expect("a journal");
    let bytes = std::fs::read(&path).expect("readable");
    let end = used(&bytes);
    // The beginning of a batch that was never finished; then one with a hole where a page did not make it.
    let tails =
        [vec![1, 9, 0], bytes[..end.min(400)].to_vec(), vec![1; 5000], [vec![1, 2, 3], vec![0; 4096], vec![7; 50]].concat()];
    for mut tail in tails {
        if let Some(byte) = tail.get_mut(40) {
            *byte ^= 255;
        }
        let copy = tempfile::tempdir().expect("a temporary folder");
        copy_folder(folder.path(), copy.path());
        let torn = [&bytes[..end], &tail].concat();
        std::fs::write(copy.path().join("db").join(path.file_name().expect("a name")), torn).expect("written");
        let store = open(copy.path(), no_reserve()).expect("a torn tail opens");
        assert!(everything(&store).await.expect("readable") == good);
        store.append(&room("after"), None, commit(1, "x", vec![])).await.expect("it goes on");
        drop(store);
        let store = open(copy.path(), no_reserve()).expect("and opens again");
        assert!(store.load(&room("after")).await.expect("readable").is_some());
    }
}
