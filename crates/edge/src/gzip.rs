//! Packing a page once for all who take gzip.

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use std::io::{Read, Write};

/// Smaller pages gain nothing.
pub(crate) const LEAST: usize = 512;
/// Larger ones would keep a thread from serving others for too long.
pub(crate) const MOST: usize = 4 * 1024 * 1024;

/// Whether packing this page makes sense: identity, text-like, of a middling size.
pub(crate) fn is_worth_it(headers: &HeaderMap, size: usize) -> bool {
    if headers.contains_key(CONTENT_ENCODING) || !(LEAST..=MOST).contains(&size) {
        return false;
    }
    let Some(kind) = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok()) else { return false };
    let kind = kind.split(';').next().unwrap_or(kind).trim().to_ascii_lowercase();
    kind.starts_with("text/") && kind != "text/event-stream"
        || matches!(
            kind.as_str(),
            "application/javascript" | "application/json" | "application/manifest+json" | "application/wasm" | "application/xml"
        )
        || kind == "image/svg+xml"
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
}

/// The packed bytes, unless they are hardly fewer.
pub(crate) fn pack(page: &[u8]) -> Option<Bytes> {
    let mut packer = GzEncoder::new(Vec::with_capacity(page.len() / 3), Compression::new(5));
    packer.write_all(page).ok()?;
    let packed = packer.finish().ok()?;
    (packed.len() < page.len() / 10 * 9).then(|| packed.into())
}

/// The bytes that were packed, at most `most` of them: a small packet may unfold without end.
pub(crate) fn unpack(packed: &[u8], most: usize) -> Option<Bytes> {
    let mut page = Vec::new();
    flate2::read::MultiGzDecoder::new(packed).take(most as u64 + 1).read_to_end(&mut page).ok()?;
    (page.len() <= most).then(|| page.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_and_back_within_bounds() {
        let page = "shop ".repeat(1000);
        let packed = pack(page.as_bytes()).unwrap();
        assert_eq!(unpack(&packed, 5000).unwrap(), page.as_bytes());
        assert_eq!(unpack(&packed, 4999), None);
        assert_eq!(unpack(b"not gzip", 100), None);
    }
}
