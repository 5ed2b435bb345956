use bytes::Bytes;
use prost::encoding::{WireType, decode_key, decode_varint};
use pytriton_protocol::tensor::AlignedBuffer;

use crate::ClientError;

/// The length of the gRPC message prefix: compression flag and message length.
pub(super) const PREFIX: usize = 5;

/// The protobuf field of raw output contents.
const RAW: u32 = 6;

/// The maximum number of bytes that are reserved before they arrive.
const MAX_PREALLOCATED_BYTES: usize = 64 << 20;

/// Returns the prefix of a message of this length.
pub(super) fn prefix(compressed: bool, length: usize) -> Result<[u8; PREFIX], ClientError> {
    let length = u32::try_from(length).map_err(|_| {
        ClientError::inputs(format!("{length} bytes exceed the size of a gRPC message"))
    })?;
    let [one, two, three, four] = length.to_be_bytes();
    Ok([u8::from(compressed), one, two, three, four])
}

/// The message of a unary response while it arrives. It is copied once, to a buffer in which its
/// first elements are aligned.
#[derive(Debug, Default)]
pub(super) struct Arriving {
    prefix: [u8; PREFIX],
    /// The number of prefix bytes that have arrived.
    known: usize,
    message: Option<AlignedBuffer>,
}

impl Arriving {
    /// Appends bytes, unless they exceed the announced length.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<(), ClientError> {
        match self.take(bytes) {
            [] => Ok(()),
            _ => Err(ClientError::protocol(format!(
                "received more bytes than the message's {}",
                self.announced().1
            ))),
        }
    }

    /// Takes the bytes that belong to the message, and returns the rest.
    pub(super) fn take<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let (prefix, rest) = bytes.split_at(bytes.len().min(PREFIX - self.known));
        self.prefix[self.known..][..prefix.len()].copy_from_slice(prefix);
        self.known += prefix.len();
        if rest.is_empty() {
            return rest;
        }
        let (_, length) = self.announced();
        let (own, behind) = rest.split_at(rest.len().min(length - self.received()));
        if !own.is_empty() {
            let new =
                || AlignedBuffer::with_capacity(length.min(MAX_PREALLOCATED_BYTES), elements(own));
            let message = self.message.get_or_insert_with(new);
            message.extend_from_slice(own);
        }
        behind
    }

    /// Returns whether any byte has arrived.
    pub(super) fn has_begun(&self) -> bool {
        self.known > 0
    }

    /// Returns whether the message is complete.
    pub(super) fn is_whole(&self) -> bool {
        self.known == PREFIX && self.received() == self.announced().1
    }

    /// Returns the number of message bytes that have arrived.
    fn received(&self) -> usize {
        self.message.as_ref().map_or(0, AlignedBuffer::len)
    }

    /// Returns the compression flag and the message length.
    fn announced(&self) -> (u8, usize) {
        let [flag, length @ ..] = self.prefix;
        (flag, u32::from_be_bytes(length) as usize)
    }

    /// Returns the compression flag and the complete message.
    pub(super) fn finish(self) -> Result<(bool, Bytes), ClientError> {
        let (flag, length) = self.announced();
        let received = self.received();
        if self.known < PREFIX || received != length {
            return Err(ClientError::protocol(format!(
                "received only {received} of the message's {length} bytes"
            )));
        }
        let message = self.message.map(AlignedBuffer::freeze).unwrap_or_default();
        match flag {
            0 | 1 => Ok((flag == 1, message)),
            flag => Err(ClientError::protocol(format!(
                "a message has an invalid flag: {flag}"
            ))),
        }
    }
}

/// Returns the position of the first elements in a message, as far as its beginning determines it.
fn elements(message: &[u8]) -> usize {
    let mut rest = message;
    while let Ok((field, WireType::LengthDelimited)) = decode_key(&mut rest) {
        let Ok(length) = decode_varint(&mut rest) else {
            break;
        };
        if field == RAW {
            return message.len() - rest.len();
        }
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let Some(behind) = rest.get(length..) else {
            break;
        };
        rest = behind;
    }
    0
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use pytriton_protocol::proto::ModelInferResponse;

    use super::*;

    fn response() -> ModelInferResponse {
        ModelInferResponse {
            model_name: "Linear".to_owned(),
            raw_output_contents: vec![Bytes::from(vec![7; 24]), Bytes::from(vec![8; 9])],
            ..ModelInferResponse::default()
        }
    }

    #[test]
    fn message_is_independent_of_chunk_boundaries() {
        let message = response().encode_to_vec();
        let body = [&prefix(false, message.len()).unwrap()[..], &message].concat();
        for cut in 1..=body.len() {
            let mut arriving = Arriving::default();
            let mut pieces = body.chunks(cut);
            pieces.try_for_each(|piece| arriving.push(piece)).unwrap();
            let arrived = (false, Bytes::from(message.clone()));
            assert_eq!(arriving.finish(), Ok(arrived), "{cut}");
            let mut arriving = Arriving::default();
            arriving.push(&body[..cut - 1]).unwrap();
            assert!(arriving.finish().is_err(), "{cut}");
        }
        let mut arriving = Arriving::default();
        arriving.push(&body).unwrap();
        assert!(arriving.push(&[0]).is_err());
        // Each message takes only its own bytes.
        let bodies = [&body[..], &[0; PREFIX], &body].concat();
        for cut in 1..=bodies.len() {
            let (mut arriving, mut messages) = (Arriving::default(), Vec::new());
            for mut piece in bodies.chunks(cut) {
                while !piece.is_empty() {
                    piece = arriving.take(piece);
                    if arriving.is_whole() {
                        messages.push(std::mem::take(&mut arriving).finish().unwrap().1);
                    }
                }
            }
            assert_eq!(messages, [&message[..], &[], &message], "{cut}");
            assert!(!arriving.has_begun());
        }
        let mut announced = Arriving::default();
        announced.push(&[0, 0, 0, 0, 0]).unwrap();
        assert!(announced.push(&[7]).is_err());
    }

    #[test]
    fn first_elements_are_aligned_without_a_copy() {
        let message = response().encode_to_vec();
        let mut arriving = Arriving::default();
        let before = prefix(false, message.len()).unwrap();
        let mut pieces = [&before[..]].into_iter().chain(message.chunks(20));
        pieces.try_for_each(|piece| arriving.push(piece)).unwrap();
        let (_, message) = arriving.finish().unwrap();
        let through = message.as_ptr_range();
        let response = ModelInferResponse::decode(message.clone()).unwrap();
        let elements = response.raw_output_contents[0].as_ptr();
        assert!(through.contains(&elements));
        assert_eq!(elements.addr() % AlignedBuffer::ALIGNMENT, 0);
    }

    #[test]
    fn malformed_message_is_an_error() {
        for bytes in [
            &[][..],
            &[0, 0, 0, 0],
            &[2, 0, 0, 0, 0],
            &[1, 0, 0, 0, 2, 7],
        ] {
            let mut arriving = Arriving::default();
            arriving.push(bytes).unwrap();
            assert!(arriving.finish().is_err(), "{bytes:?}");
        }
        assert_eq!(elements(&[]), 0);
        assert_eq!(elements(&[0xff; 20]), 0);
        assert_eq!(elements(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]), 0);
    }
}
