//! The highest batch number that was synced, in a small file of its own, so that a cut journal is noticed.
//!
//! Written after each sync and not synced itself: after a power loss it may be behind, never ahead, so it can fail to
//! notice but not accuse wrongly. Two slots in turn, each with a checksum: a torn one leaves the other.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

const SLOT_BYTES: u64 = 512;

pub(super) struct Acked(File);

impl Acked {
    pub(super) fn open(path: &Path) -> io::Result<Acked> {
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map(Acked)
    }

    pub(super) fn highest(&self) -> io::Result<u64> {
        let mut highest = 0;
        for slot in 0..2 {
            let mut bytes = [0; 16];
            match self.0.read_exact_at(&mut bytes, slot * SLOT_BYTES) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => continue,
                read => read?,
            }
            let number = u64::from_le_bytes(first(&bytes));
            if bytes == encode(number) {
                highest = highest.max(number);
            }
        }
        Ok(highest)
    }

    /// Forgets what an unfinished beginning left.
    pub(super) fn clear(&self) -> io::Result<()> {
        self.0.set_len(0)
    }

    pub(super) fn set(&self, number: u64) -> io::Result<()> {
        self.0.write_all_at(&encode(number), number % 2 * SLOT_BYTES)
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.0.sync_all()
    }
}

fn encode(number: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&number.to_le_bytes());
    bytes[8..].copy_from_slice(&xxh3_64(&number.to_le_bytes()).to_le_bytes());
    bytes
}

fn first(bytes: &[u8; 16]) -> [u8; 8] {
    let mut half = [0; 8];
    half.copy_from_slice(&bytes[..8]);
    half
}
