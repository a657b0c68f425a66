//! A message that is bytes already. Everyone of a class is sent the same ones, so they are not encoded again for each.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use prost::encoding::{DecodeContext, WireType, encode_key, encode_varint, encoded_len_varint};
use prost::{DecodeError, Message};

#[derive(Clone, Default, PartialEq, Debug)]
pub struct Frame(pub Bytes);

impl Message for Frame {
    fn encode_raw(&self, buffer: &mut impl BufMut) {
        buffer.put_slice(&self.0);
    }

    /// The server only says these; whoever reads them knows their fields from the files.
    fn merge_field(&mut self, _: u32, _: WireType, _: &mut impl Buf, _: DecodeContext) -> Result<(), DecodeError> {
        Ok(())
    }

    fn encoded_len(&self) -> usize {
        self.0.len()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// The fields of `RoomUpdate`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Update {
    Entered = 1,
    Condition = 2,
    Said = 3,
    Closing = 4,
    Ended = 5,
}

impl Update {
    /// A `RoomUpdate` that holds this message, whose bytes come in pieces.
    pub fn holding(self, pieces: &[Bytes]) -> Bytes {
        let length: usize = pieces.iter().map(Bytes::len).sum();
        let mut frame = BytesMut::with_capacity(1 + encoded_len_varint(length as u64) + length);
        encode_key(self as u32, WireType::LengthDelimited, &mut frame);
        encode_varint(length as u64, &mut frame);
        pieces.iter().for_each(|piece| frame.put_slice(piece));
        frame.freeze()
    }

    pub fn is_in(self, frame: &Bytes) -> bool {
        frame.first().is_some_and(|key| u32::from(key >> 3) == self as u32)
    }
}

/// The condition inside an update that holds one.
pub fn condition(mut update: Bytes) -> Bytes {
    if Update::Condition.is_in(&update) {
        update.advance(1);
        let length = prost::encoding::decode_varint(&mut update).unwrap_or_default();
        update.truncate(usize::try_from(length).unwrap_or(usize::MAX));
    }
    update
}

pub fn bytes(message: &impl Message) -> Bytes {
    message.encode_to_vec().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_in_an_update_is_taken_out_again() {
        for length in [0, 1, 127, 128, 20_000] {
            let (one, two) = (Bytes::from(vec![7; length]), Bytes::from_static(b"mine"));
            let update = Update::Condition.holding(&[one.clone(), two.clone()]);
            assert!(Update::Condition.is_in(&update) && !Update::Ended.is_in(&update));
            assert_eq!(condition(update), [one, two].concat());
        }
        assert!(!Update::Entered.is_in(&Bytes::new()));
    }
}
