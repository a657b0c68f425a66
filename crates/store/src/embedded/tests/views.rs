//! Views of the engine's disk: each shows what was synced when it was taken, whatever is flushed and merged afterwards, and
//! reading from one waits for nobody.

use super::super::disk::{Pair, View};
use super::super::fjall_view::{Memtables, active, tree};
use super::super::*;
use crate::conformance::Script;
use bytes::Bytes;
use lsm_tree::AbstractTree;
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::{Duration, Instant};

const KEYS: u64 = 400;
const MEMTABLE: u64 = 32 * 1024;

type Pairs = BTreeMap<Vec<u8>, Bytes>;

fn small() -> Tuning {
    Tuning { memtable_bytes: MEMTABLE, ..Tuning::default() }
}

fn key(number: u64) -> Vec<u8> {
    format!("key {number:04}").into_bytes()
}

fn batch(script: &mut Script) -> Vec<Pair> {
    // Now and then more than a table in memory is meant to hold.
    let (count, bytes) = if script.below(30) == 0 { (KEYS / 2, MEMTABLE / 20) } else { (1 + script.below(20), 600) };
    let pairs = (0..count).map(|_| {
        let value = (script.below(4) > 0).then(|| Bytes::from(vec![script.roll() as u8; script.below(bytes) as usize]));
        (key(script.below(KEYS)), value)
    });
    pairs.collect::<BTreeMap<_, _>>().into_iter().collect()
}

fn shows(view: &dyn View, expected: &Pairs, of: &str) {
    let mut scanned = Pairs::new();
    let mut add = |key: &[u8], value: &[u8]| scanned.insert(key.to_vec(), Bytes::copy_from_slice(value)).is_none();
    view.scan(b"key", b"kez", &mut add).expect("readable");
    assert_eq!(&scanned, expected, "{of}, scanned");
    for number in 0..KEYS {
        assert_eq!(view.get(&key(number)).expect("readable").as_ref(), expected.get(&key(number)), "{of}, key {number}");
    }
}

#[test]
fn a_view_shows_its_moment_whatever_is_flushed_and_merged_after_it() {
    for seed in 0..6 {
        let mut script = Script::new(seed);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("data");
        let (mut now, mut merged) = (Pairs::new(), false);
        for opening in 0..3 {
            let disk = FjallDisk::open(&path, &small()).expect("it opens");
            let of = |what: &str, turn: usize| format!("seed {seed}, opening {opening}, turn {turn}: {what}");
            shows(&*disk.durable(), &now, &of("opened", 0));
            let mut older: Vec<(Arc<dyn View>, Pairs)> = Vec::new();
            for turn in 0..150 {
                let batch = batch(&mut script);
                disk.write(batch.clone()).expect("written");
                disk.sync().expect("synced");
                for (key, value) in batch {
                    match value {
                        Some(value) => now.insert(key, value),
                        None => now.remove(&key),
                    };
                }
                if script.below(10) == 0 {
                    disk.rest().expect("it rests");
                }
                let view = disk.durable();
                shows(&*view, &now, &of("now", turn));
                if script.below(10) == 0 {
                    older.push((view, now.clone()));
                }
                if script.below(10) == 0 && !older.is_empty() {
                    let (view, then) = &older[script.below(older.len() as u64) as usize];
                    shows(&**view, then, &of("then", turn));
                }
            }
            for (view, then) in older {
                shows(&*view, &then, &of("then, at the end", 0));
            }
            merged |= (1..7).any(|level| tree(disk.keyspace()).level_table_count(level) > Some(0));
        }
        assert!(merged, "seed {seed}: nothing was merged, so nothing is shown");
    }
}

#[test]
fn tables_in_memory_are_held_until_they_are_in_files_and_one_that_was_not_seen_is_waited_for() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let disk = FjallDisk::open(&folder.path().join("data"), &small()).expect("it opens");
    let (keyspace, tree) = (disk.keyspace(), tree(disk.keyspace()));
    let mut seen = Memtables::default();
    assert!(seen.look(tree), "of the first one nobody knows what was before");
    assert!(seen.catch_up(tree));
    let fill = |rotations| {
        for _ in 0..rotations {
            keyspace.insert("key", "value").expect("written");
            tree.rotate_memtable();
        }
    };
    fill(1);
    assert!(!seen.look(tree), "the one before was seen");
    assert_eq!(seen.count(), 2, "and is in no file");
    fill(2);
    assert!(seen.look(tree), "one of them was not");
    assert!(!seen.catch_up(tree), "and may be in no file");
    tree.flush(&tree.get_flush_lock(), 0).expect("flushed");
    assert!(seen.catch_up(tree));
    for _ in 0..20 {
        fill(1);
        assert!(!seen.look(tree));
        tree.flush(&tree.get_flush_lock(), 0).expect("flushed");
    }
    assert!(seen.count() <= 2, "what is in a file is not held in memory, though nobody asks for a view");
}

#[test]
fn a_quiet_moment_puts_into_a_file_what_is_worth_one_and_gives_the_memory_back() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let disk = FjallDisk::open(&folder.path().join("data"), &small()).expect("it opens");
    let put = |number, bytes| {
        let value = Bytes::from(vec![7; bytes]);
        disk.write(vec![(key(number), Some(value.clone()))]).and_then(|()| disk.sync()).expect("synced");
        (key(number), value)
    };
    let mut pairs = Pairs::from([put(1, 100)]);
    disk.rest().expect("it rests");
    assert_eq!(disk.keyspace().table_count() + disk.keyspace().sealed_memtable_count(), 0, "so little stays where it is");
    pairs.extend([put(2, 5000)]);
    let before = disk.durable();
    let held = Arc::downgrade(&active(tree(disk.keyspace())));
    disk.rest().expect("it rests");
    shows(&*disk.durable(), &pairs, "while it moves");
    let until = Instant::now() + Duration::from_secs(60);
    while disk.keyspace().table_count() == 0 {
        assert!(Instant::now() < until, "it is never in a file");
        std::thread::yield_now();
    }
    // Who looked before looks on at what was there, and nobody else holds it.
    shows(&*before, &pairs, "before");
    drop(before);
    while held.upgrade().is_some() {
        assert!(Instant::now() < until, "it stays in memory");
        disk.rest().expect("it rests");
        drop(disk.durable());
    }
    let after = disk.durable();
    shows(&*after, &pairs, "after");
}

#[test]
fn reading_does_not_wait_while_the_engine_adds_a_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let disk = FjallDisk::open(&folder.path().join("data"), &small()).expect("it opens");
    disk.write(vec![(key(1), Some(Bytes::from_static(b"one")))]).expect("written");
    disk.sync().expect("synced");
    let view = disk.durable();
    // What the engine holds while it syncs.
    let held = tree(disk.keyspace()).get_version_history_lock();
    let (told, hear) = mpsc::channel();
    std::thread::spawn(move || {
        let mut scanned = 0;
        let scan = view.scan(b"key", b"kez", &mut |_, _| {
            scanned += 1;
            true
        });
        let got = scan.and_then(|()| view.get(&key(1)));
        let _ = told.send((got.expect("readable"), scanned));
    });
    let read = hear.recv_timeout(Duration::from_secs(30)).expect("it waits for the lock");
    assert_eq!(read, (Some(Bytes::from_static(b"one")), 1));
    drop(held);
}
