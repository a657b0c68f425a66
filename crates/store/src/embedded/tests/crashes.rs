//! Losing power at any moment: what was acked is there, and what is there is whole.

use super::super::*;
use super::conforms::{no_reserve, on_model};
use crate::conformance::{Script, SteppedClock, commit, put, room, set};
use crate::embedded::model_disk::Call;
use crate::shapes::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Each room's commits write their number in two records; a room that reads back has both at its place.
fn check_whole(loaded: &Loaded) -> u64 {
    let seq = loaded.place.position.seq;
    let number = bytes::Bytes::from(seq.to_string());
    let hash = Value::Hash(BTreeMap::from([("seq".into(), number.clone())]));
    assert_eq!(loaded.records, [("hash".into(), hash), ("text".into(), Value::Text(number))]);
    seq
}

#[tokio::test(start_paused = true)]
async fn x32_what_was_acked_survives_a_crash_at_any_moment() {
    for seed in 0..100 {
        let mut script = Script::new(seed);
        let clock = SteppedClock::new(Millis(1_000));
        let mut disk = ModelDisk::new();
        let mut acked: BTreeMap<String, u64> = BTreeMap::new();
        for _ in 0..4 {
            let (store, commits) = Embedded::with_disk(Arc::new(disk.clone()), clock.shared(), no_reserve()).expect("it opens");
            // At least one millisecond, or paused time would never pass.
            let pause = 1 + script.below(4);
            let loop_task = tokio::spawn(commits.run(move || tokio::time::sleep(std::time::Duration::from_millis(pause))));
            let (sender, mut acks) = tokio::sync::mpsc::unbounded_channel();
            let writers: Vec<_> =
                (0..5).map(|n| tokio::spawn(write_on(store.clone(), format!("room {n}"), sender.clone()))).collect();
            drop((store, sender));
            tokio::time::sleep(std::time::Duration::from_millis(1 + script.below(40))).await;
            loop_task.abort();
            let kept = script.roll();
            disk = disk.crash(|unsynced| (kept % (unsynced as u64 + 1)) as usize);
            for writer in writers {
                writer.await.expect("a writer hears of the end, it does not panic");
            }
            while let Some((name, seq)) = acks.recv().await {
                acked.insert(name, seq);
            }
            let reader = on_model(&disk, &clock);
            for (name, seq) in &acked {
                let loaded = reader.load(&room(name)).await.expect("readable").expect("acked, so there");
                assert!(check_whole(&loaded) >= *seq, "seed {seed}: {name} lost commit {seq}");
            }
        }
        assert!(!acked.is_empty(), "seed {seed} did nothing");
    }
}

async fn write_on(store: Embedded, name: String, acks: tokio::sync::mpsc::UnboundedSender<(String, u64)>) {
    let mut at = store.load(&room(&name)).await.expect("readable").map(|loaded| loaded.place);
    loop {
        let seq = at.map_or(1, |at| at.position.seq + 1).to_string();
        match store.append(&room(&name), at, commit(7, "x", vec![put("text", &seq), set("hash", "seq", &seq)])).await {
            Ok(place) => {
                acks.send((name.clone(), place.position.seq)).expect("the test listens");
                at = Some(place);
            }
            Err(error) => {
                assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
                return;
            }
        }
    }
}

#[tokio::test]
async fn nothing_unsynced_is_ever_read() {
    let clock = SteppedClock::new(Millis(1_000));
    let disk = ModelDisk::new();
    let (store, commits) = Embedded::with_disk(Arc::new(disk.clone()), clock.shared(), no_reserve()).expect("it opens");
    let (written, on) = (Arc::new(tokio::sync::Notify::new()), Arc::new(tokio::sync::Notify::new()));
    let (told, wait) = (written.clone(), on.clone());
    tokio::spawn(commits.run(move || {
        let (told, wait) = (told.clone(), wait.clone());
        async move {
            told.notify_one();
            wait.notified().await;
        }
    }));
    let append = {
        let store = store.clone();
        tokio::spawn(async move { store.append(&room("r"), None, commit(1, "x", vec![])).await })
    };
    written.notified().await;
    assert_eq!(disk.unsynced_count(), 1);
    assert_eq!(store.load(&room("r")).await, Ok(None), "written, but not safe yet");
    on.notify_one();
    let place = append.await.expect("no panic").expect("kept");
    assert_eq!(store.load(&room("r")).await.expect("readable").expect("there").place, place);
}

#[tokio::test]
async fn after_a_failed_write_or_sync_nothing_is_acked() {
    for (call, good) in [(Call::Write, 0), (Call::Write, 3), (Call::Sync, 0), (Call::Sync, 3)] {
        let clock = SteppedClock::new(Millis(1_000));
        let disk = ModelDisk::new();
        let ended = Arc::new(AtomicBool::new(false));
        let told = ended.clone();
        let on_fatal: OnFatal = Arc::new(move |_| told.store(true, Ordering::SeqCst));
        let options = Options { on_fatal, ..no_reserve() };
        let (store, commits) = Embedded::with_disk(Arc::new(disk.clone()), clock.shared(), options).expect("it opens");
        tokio::spawn(commits.run(tokio::task::yield_now));
        let calls = AtomicUsize::new(0);
        disk.fail_when(move |asked| {
            (asked == call && calls.fetch_add(1, Ordering::SeqCst) >= good).then(|| std::io::Error::other("no more"))
        });
        for n in 0..good {
            assert!(store.append(&room(&n.to_string()), None, commit(1, "x", vec![])).await.is_ok());
        }
        for _ in 0..3 {
            let refused = store.append(&room("r"), None, commit(1, "x", vec![])).await;
            assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
            assert!(ended.load(Ordering::SeqCst), "the process is told to end");
        }
        assert_eq!(store.load(&room("r")).await, Ok(None));
    }
}

#[tokio::test]
async fn a_full_disk_refuses_and_recovers() {
    let clock = SteppedClock::new(Millis(1_000));
    let disk = ModelDisk::new();
    let options = Options { free_bytes_min: 100, ..no_reserve() };
    let (store, commits) = Embedded::with_disk(Arc::new(disk.clone()), clock.shared(), options).expect("it opens");
    tokio::spawn(commits.run(tokio::task::yield_now));
    let first = store.append(&room("r"), None, commit(1, "x", vec![])).await.expect("kept");
    disk.set_free_bytes(Some(99));
    let refused = store.append(&room("r"), Some(first), commit(2, "y", vec![])).await;
    assert!(matches!(&refused, Err(StoreError::Unavailable(what)) if what.contains("disk is full")), "{refused:?}");
    assert_eq!(store.load(&room("r")).await.expect("readable").expect("there").place, first, "reading goes on");
    disk.set_free_bytes(Some(100));
    assert!(store.append(&room("r"), Some(first), commit(2, "y", vec![])).await.is_ok());
}
