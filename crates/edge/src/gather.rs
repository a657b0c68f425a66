//! Reading a body to its end, within bounds of size and patience, while it may already be on its way to a client.

use crate::body::{Body, BoxError, Faucet};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use std::time::Duration;

pub(crate) enum Gathered {
    Whole(Bytes),
    /// More than may be kept: what came so far, and the rest.
    TooLarge(Vec<Bytes>, Body),
    Broken(BoxError),
}

/// Reads until the end or until `most` bytes are exceeded; what comes is poured on as well.
pub(crate) async fn gather(mut body: Body, most: usize, pause: Duration, pour: Option<&Faucet>) -> Gathered {
    let mut chunks: Vec<Bytes> = Vec::new();
    let mut size = 0;
    loop {
        let frame = match next(&mut body, pause).await {
            None => return Gathered::Whole(join(chunks, size)),
            Some(Err(error)) => return Gathered::Broken(error),
            Some(Ok(frame)) => frame,
        };
        if let Some(data) = frame.data_ref() {
            size += data.len();
            chunks.push(data.clone());
        }
        if let Some(faucet) = pour {
            // The page is kept even if the one who asked for it is gone.
            faucet.pour(Ok(frame));
        }
        if size > most {
            return Gathered::TooLarge(chunks, body);
        }
    }
}

/// Hands a body on at the client's pace.
pub(crate) async fn pump(mut body: Body, faucet: &Faucet, pause: Duration) {
    while let Some(frame) = next(&mut body, pause).await {
        let broken = frame.is_err();
        if !faucet.pour(frame) || broken {
            return;
        }
        faucet.settle().await;
    }
}

async fn next(body: &mut Body, pause: Duration) -> Option<Result<http_body::Frame<Bytes>, BoxError>> {
    match tokio::time::timeout(pause, body.frame()).await {
        Ok(frame) => frame,
        Err(_) => Some(Err("the origin stopped in the middle of its answer".into())),
    }
}

fn join(mut chunks: Vec<Bytes>, size: usize) -> Bytes {
    match chunks.len() {
        0 => Bytes::new(),
        1 => chunks.remove(0),
        _ => {
            let mut whole = BytesMut::with_capacity(size);
            chunks.iter().for_each(|chunk| whole.extend_from_slice(chunk));
            whole.freeze()
        }
    }
}
