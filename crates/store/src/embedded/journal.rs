//! Looking through the engine's journals before the engine does.
//!
//! The engine cuts a journal off, silently, at the first entry it cannot read, also when whole batches lie behind it:
//! acked commits would be gone and nobody told. So every batch carries a number one higher than the last (key 0), and
//! `acked` holds the highest number that was synced. Before the engine opens, every journal is read here: numbers must
//! follow each other without a gap, sealed journals must be good to their end, and what cannot be read at the end of
//! the last one must be newer than anything acked, with no good batch behind it. That is what a crash leaves, a torn
//! tail, and it is cut off here; anything else is damage, and the folder is refused untouched.

use super::disk::DiskError;
use super::options::TURN_BYTES_MAX;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The key under which each batch carries its number.
pub(super) const NUMBER_KEY: &[u8] = &[0];

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const TRAILER: &[u8] = b"FJL\x03";
/// The engine's own housekeeping takes sequence numbers too, but never so many between two batches.
const SEQUENCE_STEP_MAX: u64 = 1 << 24;
const PIECE_BYTES: usize = 1024 * 1024;
/// More than one turn of the committer ever writes.
const HOLE_BYTES: usize = 2 * TURN_BYTES_MAX;

/// Reads all journals of a folder and cuts off a torn tail. Answers the last batch number in them, if there is one.
pub(super) fn check(folder: &Path, acked: u64) -> Result<Option<u64>, DiskError> {
    let journals = journals(folder)?;
    let mut last = Seen::default();
    for (index, (_, path)) in journals.iter().enumerate() {
        let bytes = written(path)?;
        let end = follow(&bytes, &mut last).map_err(|what| damaged(path, &what))?;
        let rest = &bytes[end..];
        if rest.iter().all(|byte| *byte == 0) {
            continue;
        }
        if index + 1 < journals.len() {
            return Err(damaged(path, "a sealed journal cannot be read to its end"));
        }
        if (end + 1..bytes.len()).any(|at| batch(&bytes[at..]).is_some_and(|found| found.number > last.number)) {
            return Err(damaged(path, "one commit cannot be read although later ones can"));
        }
        if last.number.is_some_and(|number| number < acked) {
            break;
        }
        tracing::warn!(journal = %path.display(), bytes = rest.len(), "cut off what a crash left half written");
        let file = OpenOptions::new().write(true).open(path)?;
        file.set_len(end as u64)?;
        file.sync_all()?;
    }
    match last.number {
        Some(number) if number < acked => Err(DiskError::Damaged(format!(
            "the last {} acknowledged writes are missing from the journals; restore a backup",
            acked - number
        ))),
        number => Ok(number),
    }
}

#[derive(Default)]
struct Seen {
    number: Option<u64>,
    sequence: Option<u64>,
}

/// Reads batches from the beginning; answers where the first that is not one begins.
fn follow(bytes: &[u8], last: &mut Seen) -> Result<usize, String> {
    let mut at = 0;
    while let Some(found) = batch(&bytes[at..]) {
        if let (Some(before), Some(number)) = (last.number, found.number)
            && number != before + 1
        {
            return Err(format!("commit {} is followed by commit {number}", before));
        }
        let in_order = |before: u64| found.sequence > before && found.sequence - before < SEQUENCE_STEP_MAX;
        if !last.sequence.is_none_or(in_order) {
            return Err("two commits are not in order".into());
        }
        last.number = found.number.or(last.number);
        last.sequence = Some(found.sequence);
        at += found.bytes;
    }
    Ok(at)
}

struct Found {
    number: Option<u64>,
    sequence: u64,
    bytes: usize,
}

/// A whole batch with a right checksum at the beginning of these bytes.
fn batch(bytes: &[u8]) -> Option<Found> {
    let mut rest = bytes;
    if take::<1>(&mut rest)? != [START] {
        return None;
    }
    let count = u32::from_le_bytes(take(&mut rest)?);
    let sequence = u64::from_le_bytes(take(&mut rest)?);
    let items = rest;
    let mut number = None;
    for _ in 0..count {
        let [tag, kind, compression] = take::<3>(&mut rest)?;
        if tag != ITEM || kind > 3 || compression != 0 {
            return None;
        }
        take::<8>(&mut rest)?;
        let key_bytes = u16::from_le_bytes(take(&mut rest)?);
        let value_bytes = u32::from_le_bytes(take(&mut rest)?);
        if u32::from_le_bytes(take(&mut rest)?) != value_bytes {
            return None;
        }
        let (key, after) = rest.split_at_checked(key_bytes.into())?;
        let (value, after) = after.split_at_checked(value_bytes as usize)?;
        if key == NUMBER_KEY {
            number = Some(u64::from_le_bytes(value.try_into().ok()?));
        }
        rest = after;
    }
    let checksum = xxh3_64(&items[..items.len() - rest.len()]);
    let good =
        take::<1>(&mut rest)? == [END] && u64::from_le_bytes(take(&mut rest)?) == checksum && take::<4>(&mut rest)? == TRAILER;
    good.then_some(Found { number, sequence, bytes: bytes.len() - rest.len() })
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(*taken)
}

/// What was written to a journal. It is made long in advance, so most of a young one is a hole of zeros, which is
/// neither read nor kept in memory.
fn written(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    let mut end = 0;
    loop {
        let start = bytes.len();
        bytes.resize(start + PIECE_BYTES, 0);
        let count = read_piece(&mut file, &mut bytes[start..])?;
        bytes.truncate(start + count);
        if let Some(last) = bytes[start..].iter().rposition(|byte| *byte != 0) {
            end = start + last + 1;
        }
        if count < PIECE_BYTES {
            break;
        }
        // Zeros for so long are the hole: no commit is as large, so nothing written can lie behind it.
        if bytes.len() - end > HOLE_BYTES {
            break;
        }
    }
    bytes.truncate(end);
    bytes.shrink_to_fit();
    Ok(bytes)
}

fn read_piece(file: &mut File, piece: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < piece.len() {
        match file.read(&mut piece[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

/// Journals in the order they were written.
pub(super) fn journals(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "jnl")
            && let Some(number) = path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse().ok())
        {
            found.push((number, path));
        }
    }
    found.sort();
    Ok(found)
}

fn damaged(path: &Path, what: &str) -> DiskError {
    DiskError::Damaged(format!("{what} (in {}); nothing was changed, restore a backup", path.display()))
}
