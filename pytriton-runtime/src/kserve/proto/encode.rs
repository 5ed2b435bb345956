use std::mem::take;

use bytes::Bytes;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::proto::{ModelInferResponse, ModelStreamInferResponse};

/// Raw contents of so many bytes are a piece of their own; smaller ones are copied to what stands before them.
const OWN: usize = 16 << 10;

/// The field of a response's raw contents, which is its last.
const RAW: u32 = 6;

/// The field of the response in a message of a stream, which is its last too.
const RESPONSE: u32 = 2;

/// A message that can be written in pieces: large raw contents are not copied.
pub trait Encode: Message + Sized {
    /// Writes the message behind what is in `first`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use pytriton_runtime::kserve::proto::Encode;
    /// # use pytriton_runtime::proto::ModelInferResponse;
    /// let contents = bytes::Bytes::from(vec![7; 1 << 20]);
    /// let message = ModelInferResponse {
    ///     raw_output_contents: vec![contents.clone()],
    ///     ..ModelInferResponse::default()
    /// };
    /// let pieces = message.into_pieces(Vec::new());
    /// assert_eq!(pieces[1].as_ptr(), contents.as_ptr());
    /// ```
    fn into_pieces(self, first: Vec<u8>) -> Vec<Bytes>;
}

impl Encode for ModelInferResponse {
    fn into_pieces(mut self, mut first: Vec<u8>) -> Vec<Bytes> {
        let contents = take(&mut self.raw_output_contents);
        let mut pieces = Vec::with_capacity(1 + 2 * contents.len());
        write(&self, &mut first);
        for contents in contents {
            encode_key(RAW, WireType::LengthDelimited, &mut first);
            encode_varint(contents.len() as u64, &mut first);
            if contents.len() < OWN {
                first.extend_from_slice(&contents);
            } else {
                pieces.push(Bytes::from(take(&mut first)));
                pieces.push(contents);
            }
        }
        if !first.is_empty() {
            pieces.push(Bytes::from(first));
        }
        pieces
    }
}

impl Encode for ModelStreamInferResponse {
    fn into_pieces(mut self, mut first: Vec<u8>) -> Vec<Bytes> {
        let response = self.infer_response.take();
        write(&self, &mut first);
        let Some(response) = response else {
            return vec![Bytes::from(first)];
        };
        encode_key(RESPONSE, WireType::LengthDelimited, &mut first);
        encode_varint(response.encoded_len() as u64, &mut first);
        response.into_pieces(first)
    }
}

fn write(message: &impl Message, first: &mut Vec<u8>) {
    // It fails for lack of room alone, of which a vector has as much as is needed.
    let _ = message.encode(first);
}
