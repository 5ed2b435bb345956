use std::mem::take;

use bytes::Bytes;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len};

use crate::request::InferRequest;
use crate::{ClientError, gzip};

use super::framing::prefix;
use super::message;

/// The field of the elements' bytes.
const RAW: u32 = 7;

/// Elements of so many bytes are copied to what stands around them, which costs less than a piece of their own.
const SMALL: usize = 4 << 10;

/// What is reserved for all but large elements.
const HEAD: usize = 256;

/// The pieces of the body of an inference: large elements are as they are in memory.
pub(super) fn encode(request: &InferRequest, compressed: bool) -> Result<Vec<Bytes>, ClientError> {
    let message = message::without_elements(request);
    let tensors = request.inputs.iter().map(|(_, tensor)| tensor.data());
    let lengths = tensors.clone().map(Bytes::len);
    let elements = lengths.map(|length| key_len(RAW) + encoded_len_varint(length as u64) + length);
    let length = message.encoded_len() + elements.sum::<usize>();
    let mut pieces = Vec::new();
    let mut around = Vec::with_capacity(HEAD);
    if !compressed {
        around.extend_from_slice(&prefix(false, length)?);
    }
    message.encode_raw(&mut around);
    for data in tensors {
        encode_key(RAW, WireType::LengthDelimited, &mut around);
        encode_varint(data.len() as u64, &mut around);
        if data.len() <= SMALL {
            around.extend_from_slice(data);
        } else {
            pieces.extend([Bytes::from(take(&mut around)), data.clone()]);
        }
    }
    pieces.push(Bytes::from(around));
    if !compressed {
        return Ok(pieces);
    }
    let message = gzip::compress(pieces)?;
    let prefix = Bytes::copy_from_slice(&prefix(true, message.len())?);
    Ok(vec![prefix, message])
}

#[cfg(test)]
mod tests {
    use pytriton_protocol::proto::ModelInferRequest;
    use pytriton_protocol::tensor::{DataType, Tensor};

    use crate::InferOptions;
    use crate::request::Model;

    use super::super::framing::Arriving;
    use super::*;

    fn request(sizes: &[usize]) -> InferRequest {
        let tensors = sizes.iter().map(|size| {
            let data = Bytes::from(vec![7; *size]);
            (
                "x".to_owned(),
                Tensor::new(DataType::Uint8, vec![*size], data).unwrap(),
            )
        });
        InferRequest {
            model: Model {
                name: "Linear".to_owned(),
                version: "1".to_owned(),
            },
            id: "3".to_owned(),
            inputs: tensors.collect(),
            options: InferOptions::new().parameter("a", 1).output("y"),
            shared: None,
            as_json: false,
        }
    }

    #[test]
    fn is_the_message_that_prost_would_write() {
        for sizes in [
            &[][..],
            &[0],
            &[9],
            &[SMALL, 5],
            &[9, SMALL + 1],
            &[SMALL + 1, SMALL + 2],
        ] {
            for compressed in [false, true] {
                let request = request(sizes);
                let pieces = encode(&request, compressed).unwrap();
                let mut arriving = Arriving::default();
                pieces.iter().for_each(|piece| arriving.push(piece));
                let message = ModelInferRequest::decode(arriving.finish().unwrap()).unwrap();
                assert_eq!(message, message::encode(&request), "{sizes:?} {compressed}");
            }
        }
    }

    #[test]
    fn large_elements_are_not_copied() {
        let request = request(&[SMALL + 1, SMALL, SMALL + 1]);
        let pieces = encode(&request, false).unwrap();
        let places: Vec<_> = pieces.iter().map(|piece| piece.as_ptr()).collect();
        let place = |index: usize| request.inputs[index].1.data().as_ptr();
        assert_eq!((places[1], places[3]), (place(0), place(2)));
        assert_eq!(pieces.len(), 5);
    }
}
