//! The log in front of a disk that loses its power: what was synced is there, wherever it had got to.

use super::super::disk::Pair;
use super::super::model_disk::Call;
use super::super::*;
use crate::conformance::Script;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

const LOG_BYTES: u64 = 16 * 1024;

fn quiet() -> OnFatal {
    Arc::new(|_| {})
}

fn batch(script: &mut Script) -> Vec<Pair> {
    // Now and then more than the log can hold.
    let bytes = if script.below(40) == 0 { LOG_BYTES } else { 400 };
    let pairs = (0..1 + script.below(6)).map(|_| {
        let value = (script.below(3) > 0).then(|| Bytes::from(vec![script.roll() as u8; script.below(bytes) as usize]));
        (vec![1 + script.below(40) as u8], value)
    });
    pairs.collect::<BTreeMap<_, _>>().into_iter().collect()
}

fn everything(disk: &dyn Disk) -> BTreeMap<Vec<u8>, Bytes> {
    shown(&*disk.durable())
}

type Pairs = BTreeMap<Vec<u8>, Bytes>;

fn shown(view: &dyn disk::View) -> Pairs {
    let mut found = BTreeMap::new();
    let mut add = |key: &[u8], value: &[u8]| found.insert(key.to_vec(), Bytes::copy_from_slice(value)).is_none();
    view.scan(&[1], &[255], &mut add).expect("readable");
    found
}

#[test]
fn what_was_synced_survives_whatever_the_disk_below_loses() {
    for seed in 0..60 {
        let mut script = Script::new(seed);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut below = ModelDisk::new();
        let mut expected: BTreeMap<Vec<u8>, Bytes> = BTreeMap::new();
        for _ in 0..6 {
            let disk = LoggedDisk::open(Arc::new(below.clone()), folder.path(), LOG_BYTES, quiet()).expect("it opens");
            assert_eq!(everything(&disk), expected, "seed {seed}");
            for _ in 0..script.below(60) {
                let batch = batch(&mut script);
                disk.write(batch.clone()).expect("written");
                assert_eq!(everything(&disk), expected, "seed {seed}: written is not synced");
                disk.sync().expect("synced");
                for (key, value) in batch {
                    match value {
                        Some(value) => expected.insert(key, value),
                        None => expected.remove(&key),
                    };
                }
                assert_eq!(everything(&disk), expected, "seed {seed}");
            }
            let kept = script.roll();
            if script.below(4) > 0 {
                below = below.crash(|unsynced| (kept % (unsynced as u64 + 1)) as usize);
            }
            drop(disk);
        }
    }
}

#[test]
fn a_view_shows_one_moment_whole_from_its_first_reading_on() {
    for seed in 0..30 {
        let mut script = Script::new(seed);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let disk = LoggedDisk::open(Arc::new(ModelDisk::new()), folder.path(), LOG_BYTES, quiet()).expect("it opens");
        let mut expected = Pairs::new();
        let mut unread: Vec<Arc<dyn disk::View>> = Vec::new();
        let mut read: Vec<(Arc<dyn disk::View>, Pairs)> = Vec::new();
        for turn in 0..80 {
            unread.push(disk.durable());
            let batch = batch(&mut script);
            disk.write(batch.clone()).expect("written");
            if script.below(3) == 0 {
                // Written is not safe, so it is not shown.
                read.push((unread.swap_remove(script.below(unread.len() as u64) as usize), expected.clone()));
                assert_eq!(shown(&*read.last().expect("just pushed").0), expected, "seed {seed}, turn {turn}");
            }
            disk.sync().expect("synced");
            for (key, value) in batch {
                match value {
                    Some(value) => expected.insert(key, value),
                    None => expected.remove(&key),
                };
            }
            if script.below(3) == 0 && !unread.is_empty() {
                read.push((unread.swap_remove(script.below(unread.len() as u64) as usize), expected.clone()));
                assert_eq!(shown(&*read.last().expect("just pushed").0), expected, "seed {seed}, turn {turn}: it is not too old");
            }
            for (view, then) in &read {
                assert_eq!(&shown(&**view), then, "seed {seed}, turn {turn}: what was read once stays");
            }
        }
    }
}

#[test]
fn the_disk_below_rests_when_nothing_is_written_after_what_was_is_there_and_its_failure_is_told_at_once() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let below = ModelDisk::new();
    let (call, called) = mpsc::channel();
    let (tell, told) = mpsc::channel();
    let on_fatal: OnFatal = Arc::new(move |what| tell.send(what.to_owned()).expect("the test listens"));
    let disk = LoggedDisk::open(Arc::new(below.clone()), folder.path(), LOG_BYTES, on_fatal).expect("it opens");
    below.fail_when(move |what| {
        call.send(what).expect("the test listens");
        (what == Call::Rest).then(|| std::io::Error::other("the flash wears out"))
    });
    disk.write(vec![(vec![1], Some(Bytes::from_static(b"one")))]).expect("only kept in memory");
    disk.sync().expect("safe in the log");
    let what = told.recv_timeout(Duration::from_secs(60)).expect("it is told");
    assert!(what.contains("the flash wears out"), "{what}");
    assert_eq!(called.try_iter().collect::<Vec<_>>(), [Call::Write, Call::Write, Call::Sync, Call::Rest]);
}

/// More pairs than go down in one batch otherwise, and larger than the log.
fn too_large() -> Vec<Pair> {
    (0..600u16)
        .map(|n| ([&[2], &n.to_be_bytes()[..]].concat(), Some(Bytes::from(vec![7; 2 * LOG_BYTES as usize / 600]))))
        .collect()
}

fn with(mut pairs: Pairs, batch: Vec<Pair>) -> Pairs {
    pairs.extend(batch.into_iter().filter_map(|(key, value)| Some((key, value?))));
    pairs
}

#[test]
fn what_is_larger_than_the_log_is_below_whole_or_not_at_all() {
    for kept in 0..8 {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let below = ModelDisk::new();
        let disk = LoggedDisk::open(Arc::new(below.clone()), folder.path(), LOG_BYTES, quiet()).expect("it opens");
        let first = vec![(vec![1], Some(Bytes::from_static(b"one"))), (vec![2, 0, 0], Some(Bytes::from_static(b"old")))];
        disk.write(first.clone()).expect("only kept in memory");
        disk.sync().expect("safe in the log");
        below.fail_when(|call| (call == Call::Sync).then(|| std::io::Error::other("the power fails")));
        disk.write(too_large()).expect("only kept in memory");
        disk.sync().expect_err("it is nowhere");
        let before = with(Pairs::new(), first);
        let below = below.crash(|unsynced| kept.min(unsynced));
        drop(disk);
        let disk = LoggedDisk::open(Arc::new(below), folder.path(), LOG_BYTES, quiet()).expect("it opens");
        let found = everything(&disk);
        assert!(
            found == before || found == with(before, too_large()),
            "{kept} batches made it, and there are {} keys",
            found.len()
        );
    }
}

/// A disk that waits before it writes.
struct Slow {
    disk: ModelDisk,
    waits: mpsc::SyncSender<()>,
    goes_on: Mutex<mpsc::Receiver<()>>,
    is_slow: AtomicBool,
}

impl Disk for Slow {
    fn write(&self, batch: Vec<Pair>) -> Result<(), DiskError> {
        if self.is_slow.load(Ordering::SeqCst) {
            self.waits.send(()).expect("somebody looks");
            self.goes_on.lock().expect("one at a time").recv().expect("somebody says so");
        }
        self.disk.write(batch)
    }

    fn sync(&self) -> Result<(), DiskError> {
        self.disk.sync()
    }

    fn durable(&self) -> Arc<dyn disk::View> {
        self.disk.durable()
    }
}

#[test]
fn what_is_larger_than_the_log_is_shown_to_nobody_before_it_is_below() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let ((waits, is_waiting), (go_on, goes_on)) = (mpsc::sync_channel(0), mpsc::sync_channel(0));
    let is_slow = AtomicBool::new(false);
    let below = Arc::new(Slow { disk: ModelDisk::new(), waits, goes_on: Mutex::new(goes_on), is_slow });
    let disk = Arc::new(LoggedDisk::open(below.clone(), folder.path(), LOG_BYTES, quiet()).expect("it opens"));
    let before: Pairs = everything(&*disk);
    let earlier = disk.durable();
    below.is_slow.store(true, Ordering::SeqCst);
    let writing = {
        let disk = disk.clone();
        std::thread::spawn(move || disk.write(too_large()).and_then(|()| disk.sync()))
    };
    is_waiting.recv().expect("it is on its way below");
    assert_eq!(shown(&*earlier), before, "taken before, read now");
    assert_eq!(everything(&*disk), before, "taken now");
    below.is_slow.store(false, Ordering::SeqCst);
    go_on.send(()).expect("it waits");
    writing.join().expect("it ends").expect("it is safe");
    assert_eq!(everything(&*disk), with(before, too_large()));
}

#[test]
fn a_log_that_is_gone_is_damage() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let below = ModelDisk::new();
    let open = || LoggedDisk::open(Arc::new(below.clone()), folder.path(), LOG_BYTES, quiet());
    drop(open().expect("it opens"));
    std::fs::remove_file(folder.path().join("log")).expect("removed");
    assert!(matches!(open().err(), Some(DiskError::Damaged(_))));
}

#[test]
fn a_disk_below_that_fails_is_told_of_although_nobody_writes_any_more() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let below = ModelDisk::new();
    let (tell, told) = std::sync::mpsc::channel();
    let on_fatal: OnFatal = Arc::new(move |what: &str| drop(tell.send(what.to_owned())));
    let disk = LoggedDisk::open(Arc::new(below.clone()), folder.path(), LOG_BYTES, on_fatal).expect("it opens");
    below.fail_when(|_| Some(std::io::Error::other("no more")));
    disk.write(vec![(vec![1], Some(Bytes::from_static(b"one")))]).expect("only kept in memory");
    disk.sync().expect("safe in the log");
    let what = told.recv_timeout(std::time::Duration::from_secs(60)).expect("the mover meets it by itself");
    assert!(what.contains("no more") && what.contains("start again"), "{what}");
}

/// A disk that can no longer be looked at, once it is told so.
struct Spoilt(ModelDisk, Arc<std::sync::atomic::AtomicBool>);

impl Disk for Spoilt {
    fn write(&self, batch: Vec<Pair>) -> Result<(), DiskError> {
        self.0.write(batch)
    }

    fn sync(&self) -> Result<(), DiskError> {
        self.0.sync()
    }

    fn durable(&self) -> Arc<dyn disk::View> {
        assert!(!self.1.load(std::sync::atomic::Ordering::Relaxed), "it is spoilt");
        self.0.durable()
    }
}

#[test]
fn a_disk_below_that_panics_while_nothing_moves_is_told_of() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let spoilt = Arc::default();
    let below = Arc::new(Spoilt(ModelDisk::new(), Arc::clone(&spoilt)));
    let (tell, told) = std::sync::mpsc::channel();
    let on_fatal: OnFatal = Arc::new(move |what: &str| drop(tell.send(what.to_owned())));
    let disk = LoggedDisk::open(below, folder.path(), LOG_BYTES, on_fatal).expect("it opens");
    spoilt.store(true, std::sync::atomic::Ordering::Relaxed);
    let what = told.recv_timeout(std::time::Duration::from_secs(60)).expect("the mover meets it by itself");
    assert!(what.contains("panic") && what.contains("start again"), "{what}");
    drop(disk);
}

#[test]
fn when_the_disk_below_has_failed_nothing_is_synced() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let below = ModelDisk::new();
    let disk = LoggedDisk::open(Arc::new(below.clone()), folder.path(), LOG_BYTES, quiet()).expect("it opens");
    below.fail_when(|_| Some(std::io::Error::other("no more")));
    let failed = (0..200).any(|n| {
        disk.write(vec![(vec![1, n], Some(Bytes::from(vec![0; 300])))]).expect("only kept in memory");
        disk.sync().is_err()
    });
    assert!(failed, "the log comes round and cannot go on");
}
