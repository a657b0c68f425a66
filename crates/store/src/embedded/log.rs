//! The log: a ring of records in one file, every block of which was written once when the file was made.
//!
//! So a sync here never waits for the file system to find blocks or to write its own journal, in which everybody else's
//! data may have to go first. A record is whole or torn: it carries a number one higher than the last, the checksum of
//! the record before it and its own. What cannot be read is a torn tail only if nothing newer can be read and it was
//! never acked; anything else is damage, and nothing is changed.

use super::disk::{DiskError, Pair};
use bytes::Bytes;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Records begin at these, so that writing one never touches the sectors of another.
const SECTOR: usize = 512;
/// Checksum, length, number, checksum of the one before.
const HEADER: usize = 8 + 8 + 8 + 8;
const REMOVED: u32 = u32::MAX;

/// Where a record ended, which it was, and how long the ring is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Mark {
    pub(super) number: u64,
    end: u64,
    checksum: u64,
    ring: u64,
}

pub(super) struct Log {
    file: File,
    pub(super) last: Mark,
}

impl Log {
    pub(super) fn create(path: &Path, bytes: u64) -> io::Result<Log> {
        const PIECE: usize = 1024 * 1024;
        let file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
        let bytes = bytes.next_multiple_of(SECTOR as u64);
        let zeros = vec![0; PIECE];
        for at in (0..bytes).step_by(PIECE) {
            file.write_all_at(&zeros[..PIECE.min((bytes - at) as usize)], at)?;
        }
        file.sync_all()?;
        Ok(Log { file, last: Mark { number: 0, end: 0, checksum: 0, ring: bytes } })
    }

    /// Hands out, in order, what the records after `from` hold.
    pub(super) fn open(path: &Path, from: Mark, acked: u64, mut each: impl FnMut(Vec<Pair>)) -> Result<Log, DiskError> {
        let mut file = match OpenOptions::new().read(true).write(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(damaged("the file is gone")),
            file => file?,
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        if bytes.len() as u64 != from.ring {
            return Err(damaged("it is not as long as it was"));
        }
        let mut last = from;
        while let Some((mark, pairs)) = [last.end, 0].into_iter().find_map(|at| follow(&bytes, at, &last)) {
            each(pairs.ok_or_else(|| damaged("a record that is whole makes no sense"))?);
            last = mark;
        }
        let newer = |at: usize| read(&bytes[at..], last.number).is_some();
        if (0..bytes.len()).step_by(SECTOR).any(newer) {
            return Err(damaged("one commit cannot be read although later ones can"));
        }
        if last.number < acked {
            return Err(damaged(&format!("the last {} acknowledged writes are missing", acked - last.number)));
        }
        Ok(Log { file, last })
    }

    /// Bytes of the ring that a record takes, with those it leaves unused before the ring's end; `None` if it never fits.
    pub(super) fn cost(&self, record: &Record) -> Option<u64> {
        let bytes = record.0.len().next_multiple_of(SECTOR) as u64;
        let left = self.last.ring - self.last.end;
        Some(if bytes <= left { bytes } else { left + bytes }).filter(|cost| *cost <= self.last.ring)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.last.ring
    }

    /// Safe when this returns. The caller has seen to it that `cost` bytes are free.
    pub(super) fn append(&mut self, record: &mut Record) -> io::Result<Mark> {
        let (number, bytes) = (self.last.number + 1, &mut record.0);
        let length = (bytes.len() - HEADER) as u64;
        bytes[8..16].copy_from_slice(&length.to_le_bytes());
        bytes[16..24].copy_from_slice(&number.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.last.checksum.to_le_bytes());
        let checksum = xxh3_64(&bytes[8..]);
        bytes[..8].copy_from_slice(&checksum.to_le_bytes());
        bytes.resize(bytes.len().next_multiple_of(SECTOR), 0);
        let at = if self.last.end + bytes.len() as u64 <= self.last.ring { self.last.end } else { 0 };
        self.file.write_all_at(bytes, at)?;
        self.file.sync_data()?;
        self.last = Mark { number, end: at + bytes.len() as u64, checksum, ..self.last };
        Ok(self.last)
    }

    /// The next number, for what is kept elsewhere.
    pub(super) fn pass(&mut self) -> Mark {
        self.last.number += 1;
        self.last
    }
}

impl Mark {
    pub(super) fn encode(&self) -> Bytes {
        [self.number, self.end, self.checksum, self.ring].iter().flat_map(|part| part.to_le_bytes()).collect()
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Mark> {
        let mut rest = bytes;
        let (number, end) = (take_u64(&mut rest)?, take_u64(&mut rest)?);
        let (checksum, ring) = (take_u64(&mut rest)?, take_u64(&mut rest)?);
        (rest.is_empty() && end <= ring).then_some(Mark { number, end, checksum, ring })
    }
}

/// The bytes of a record, with room for its header.
pub(super) struct Record(Vec<u8>);

impl Record {
    pub(super) fn new() -> Record {
        Record(vec![0; HEADER])
    }

    pub(super) fn push(&mut self, (key, value): &Pair) {
        let bytes = value.as_ref().map_or(REMOVED, |value| value.len() as u32);
        self.0.extend_from_slice(&(key.len() as u32).to_le_bytes());
        self.0.extend_from_slice(&bytes.to_le_bytes());
        self.0.extend_from_slice(key);
        self.0.extend_from_slice(value.as_deref().unwrap_or_default());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.len() == HEADER
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
        self.0.resize(HEADER, 0);
    }
}

struct Found<'a> {
    number: u64,
    checksum: u64,
    before: u64,
    body: &'a [u8],
}

/// A whole record with a right checksum at the beginning of these bytes, if its number is above this one.
fn read(bytes: &[u8], above: u64) -> Option<Found<'_>> {
    let mut rest = bytes;
    let (checksum, length) = (take_u64(&mut rest)?, take_u64(&mut rest)?);
    let (number, before) = (take_u64(&mut rest)?, take_u64(&mut rest)?);
    let body = rest.get(..usize::try_from(length).ok()?)?;
    let good = number > above && xxh3_64(&bytes[8..HEADER + body.len()]) == checksum;
    good.then_some(Found { number, checksum, before, body })
}

/// The record that follows `last`, if it is here.
fn follow(bytes: &[u8], at: u64, last: &Mark) -> Option<(Mark, Option<Vec<Pair>>)> {
    let found = read(bytes.get(usize::try_from(at).ok()?..)?, last.number)?;
    let end = at + (HEADER + found.body.len()).next_multiple_of(SECTOR) as u64;
    let follows = found.number == last.number + 1 && found.before == last.checksum && end <= last.ring;
    follows.then(|| (Mark { number: found.number, end, checksum: found.checksum, ..*last }, pairs(found.body)))
}

fn pairs(mut body: &[u8]) -> Option<Vec<Pair>> {
    let mut pairs = Vec::new();
    while !body.is_empty() {
        let (lengths, rest) = body.split_first_chunk::<8>()?;
        let [k0, k1, k2, k3, v0, v1, v2, v3] = *lengths;
        let value_bytes = u32::from_le_bytes([v0, v1, v2, v3]);
        let (key, rest) = rest.split_at_checked(u32::from_le_bytes([k0, k1, k2, k3]) as usize)?;
        let (value, rest) = if value_bytes == REMOVED {
            (None, rest)
        } else {
            rest.split_at_checked(value_bytes as usize).map(|(value, rest)| (Some(value), rest))?
        };
        pairs.push((key.to_vec(), value.map(Bytes::copy_from_slice)));
        body = rest;
    }
    Some(pairs)
}

fn take_u64(rest: &mut &[u8]) -> Option<u64> {
    let (taken, after) = rest.split_first_chunk::<8>()?;
    *rest = after;
    Some(u64::from_le_bytes(*taken))
}

pub(super) fn damaged(what: &str) -> DiskError {
    DiskError::Damaged(format!("{what} (in its log); nothing was changed, restore a backup"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::Script;

    const RING: u64 = 8192;

    fn pair(script: &mut Script) -> Pair {
        let value = (script.below(4) > 0).then(|| Bytes::from(vec![b'v'; script.below(300) as usize]));
        (script.roll().to_le_bytes().to_vec(), value)
    }

    fn append(log: &mut Log, script: &mut Script) -> Vec<Pair> {
        let pairs: Vec<Pair> = (0..=script.below(4)).map(|_| pair(script)).collect();
        let mut record = Record::new();
        pairs.iter().for_each(|pair| record.push(pair));
        log.append(&mut record).unwrap();
        pairs
    }

    fn reopen(path: &Path, from: Mark, acked: u64) -> Result<(Log, Vec<Vec<Pair>>), DiskError> {
        let mut found = Vec::new();
        Ok((Log::open(path, from, acked, |pairs| found.push(pairs))?, found))
    }

    /// A log that has come round, what its last three records hold, and the mark before them.
    fn used(path: &Path, script: &mut Script) -> (Log, Mark, Vec<Vec<Pair>>) {
        let mut log = Log::create(path, RING).unwrap();
        for _ in 0..20 + script.below(20) {
            append(&mut log, script);
        }
        let mark = log.last;
        let last = (0..3).map(|_| append(&mut log, script)).collect();
        (log, mark, last)
    }

    #[test]
    fn what_was_appended_comes_back_also_across_the_end_of_the_ring() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for seed in 0..200 {
            let script = &mut Script::new(seed);
            let (log, mark, last) = used(&path, script);
            let (mut again, found) = reopen(&path, mark, log.last.number).unwrap();
            assert_eq!((found, again.last), (last, log.last));
            let next = append(&mut again, script);
            assert_eq!(reopen(&path, log.last, again.last.number).unwrap().1, [next]);
        }
    }

    #[test]
    fn a_turned_bit_is_the_same_records_or_a_refusal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for seed in 0..20 {
            let script = &mut Script::new(seed);
            let (log, mark, last) = used(&path, script);
            let good = std::fs::read(&path).unwrap();
            for _ in 0..100 {
                let mut bytes = good.clone();
                bytes[script.below(RING) as usize] ^= 1 << script.below(8);
                std::fs::write(&path, &bytes).unwrap();
                match reopen(&path, mark, log.last.number) {
                    Ok((_, found)) => assert_eq!(found, last),
                    Err(error) => assert!(error.to_string().contains("restore a backup"), "{error}"),
                }
                assert!(std::fs::read(&path).unwrap() == bytes, "nothing was changed");
            }
        }
    }

    #[test]
    fn a_torn_tail_is_left_out_and_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        for seed in 0..200 {
            let script = &mut Script::new(seed);
            let (mut log, mark, last) = used(&path, script);
            let (before, acked) = (std::fs::read(&path).unwrap(), log.last.number);
            append(&mut log, script);
            let mut torn = std::fs::read(&path).unwrap();
            // Some of its sectors made it, and not all.
            let sectors: Vec<usize> =
                (0..torn.len()).step_by(512).filter(|at| torn[*at..at + 512] != before[*at..at + 512]).collect();
            let lost = sectors[script.below(sectors.len() as u64) as usize];
            torn[lost..lost + 512].copy_from_slice(&before[lost..lost + 512]);
            std::fs::write(&path, &torn).unwrap();
            assert!(reopen(&path, mark, acked + 1).is_err(), "it was acked, and is not there");
            let (mut again, found) = reopen(&path, mark, acked).unwrap();
            assert_eq!(found, last);
            let next = append(&mut again, script);
            assert_eq!(reopen(&path, mark, acked + 1).unwrap().1.last(), Some(&next));
        }
    }
}
