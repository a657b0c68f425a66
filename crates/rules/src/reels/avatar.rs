//! A face: a JPEG of 300 × 300 from a phone's camera or finger. It is measured, never decoded.

use super::PlayerId;
use crate::ids::RoomId;
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;

pub const AVATAR_BYTES_MAX: usize = 40_000;
pub const AVATAR_PIXELS: u16 = 300;

#[derive(Clone, PartialEq, Eq)]
pub struct Avatar {
    bytes: Arc<[u8]>,
    tag: Arc<str>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an avatar is a JPEG of {AVATAR_PIXELS} × {AVATAR_PIXELS} pixels and at most {AVATAR_BYTES_MAX} bytes")]
pub struct NotAnAvatar;

impl Avatar {
    pub fn new(bytes: &[u8]) -> Result<Avatar, NotAnAvatar> {
        let fits = bytes.len() <= AVATAR_BYTES_MAX && size(bytes) == Some((AVATAR_PIXELS, AVATAR_PIXELS));
        let tag = || Sha256::digest(bytes)[..6].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        if fits { Ok(Avatar { bytes: bytes.into(), tag: tag().into() }) } else { Err(NotAnAvatar) }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Another picture has another tag, so that an address with it may be remembered for ever.
    pub fn tag(&self) -> &str {
        &self.tag
    }
}

/// The document's `avatar_url`: where the picture with this tag is found on the server that has the room.
pub fn avatar_url(code: &RoomId, player: &PlayerId, tag: &str) -> String {
    format!("/v1/rooms/reels/{code}/avatars/{player}?v={tag}")
}

impl fmt::Debug for Avatar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Avatar({} bytes)", self.bytes.len())
    }
}

/// Width and height as the first frame header says, if the bytes begin and end like a JPEG and lead there.
fn size(bytes: &[u8]) -> Option<(u16, u16)> {
    let mut rest = bytes.strip_prefix(&[0xff, 0xd8]).filter(|_| bytes.ends_with(&[0xff, 0xd9]))?;
    loop {
        let (0xff, marker) = (*rest.first()?, *rest.get(1)?) else { return None };
        let length = usize::from(u16::from_be_bytes([*rest.get(2)?, *rest.get(3)?]));
        let segment = rest.get(4..2 + length)?;
        match marker {
            // Every kind of frame but the tables (C4, CC) and the reserved one (C8) among them.
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                let number = |at: usize| Some(u16::from_be_bytes([*segment.get(at)?, *segment.get(at + 1)?]));
                return Some((number(3)?, number(1)?));
            }
            // The picture itself before any frame header, or a marker that has no length.
            0xd0..=0xda | 0x00 | 0x01 | 0xff => return None,
            _ => rest = rest.get(2 + length..)?,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// As much of a JPEG as is measured.
    pub(crate) fn jpeg(width: u16, height: u16, filling: u8) -> Vec<u8> {
        let mut bytes = vec![0xff, 0xd8, 0xff, 0xe0, 0, 4, b'J', b'F', 0xff, 0xc0, 0, 11, 8];
        bytes.extend(height.to_be_bytes().into_iter().chain(width.to_be_bytes()));
        bytes.extend([1, 1, 0x11, 0, 0xff, 0xda, 0, 3, filling, filling, 0xff, 0xd9]);
        bytes
    }

    #[test]
    fn only_a_small_square_jpeg_is_an_avatar() {
        let good = jpeg(300, 300, 7);
        assert_eq!(Avatar::new(&good).unwrap().bytes(), good);
        assert_ne!(Avatar::new(&good).unwrap().tag(), Avatar::new(&jpeg(300, 300, 8)).unwrap().tag());
        let mut large = good[..good.len() - 2].to_vec();
        large.resize(AVATAR_BYTES_MAX - 1, 0);
        large.extend([0xff, 0xd9]);
        let mut endless = jpeg(300, 300, 7);
        endless.truncate(endless.len() - 2);
        let png = b"\x89PNG\r\n\x1a\n".to_vec();
        let scan_first = vec![0xff, 0xd8, 0xff, 0xda, 0, 3, 1, 0xff, 0xd9];
        for bytes in
            [jpeg(300, 301, 7), jpeg(299, 300, 7), jpeg(0, 0, 7), vec![], png, endless, large, scan_first, b"<svg/>".to_vec()]
        {
            assert_eq!(Avatar::new(&bytes), Err(NotAnAvatar), "{bytes:?}");
        }
        for end in 0..good.len() {
            assert_eq!(Avatar::new(&good[..end]), Err(NotAnAvatar), "the first {end} bytes");
        }
    }
}
