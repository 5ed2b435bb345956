use std::mem::take;

use bytes::Bytes;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len};
use pytriton_protocol::proto::ModelInferRequest;

use crate::request::InferRequest;
use crate::{ClientError, gzip};

use super::framing::prefix;
use super::message;

/// The protobuf field of raw input contents.
const RAW: u32 = 7;

/// Elements up to this size are copied next to the message, which is cheaper than a separate write.
const MAX_COPIED_BYTES: usize = 4 << 10;

/// The capacity reserved for everything except large elements.
const HEAD: usize = 256;

/// Returns the pieces of an inference request's body; large elements are not copied.
pub(super) fn encode(request: &InferRequest) -> Result<Vec<Bytes>, ClientError> {
    let message = message::without_elements(request);
    let lengths = request.inputs.iter().map(|(_, tensor)| tensor.data().len());
    let elements = lengths.map(|length| key_len(RAW) + encoded_len_varint(length as u64) + length);
    let length = message.encoded_len() + elements.sum::<usize>();
    let mut around = Vec::with_capacity(HEAD);
    around.extend_from_slice(&prefix(false, length)?);
    Ok(pieces(request, &message, around))
}

/// Same as [`encode`], compressed.
pub(super) async fn compressed(request: &InferRequest) -> Result<Vec<Bytes>, ClientError> {
    let message = message::without_elements(request);
    let message = gzip::compress(pieces(request, &message, Vec::new())).await?;
    let prefix = Bytes::copy_from_slice(&prefix(true, message.len())?);
    Ok(vec![prefix, message])
}

/// Returns the pieces of a framed message that contains its elements.
pub(super) async fn framed(
    message: &ModelInferRequest,
    compressed: bool,
) -> Result<Vec<Bytes>, ClientError> {
    let mut message = vec![Bytes::from(message.encode_to_vec())];
    if compressed {
        message = vec![gzip::compress(message).await?];
    }
    let length = message.iter().map(Bytes::len).sum();
    message.insert(0, Bytes::copy_from_slice(&prefix(compressed, length)?));
    Ok(message)
}

/// Returns a message and its elements, appended to `around`.
fn pieces(request: &InferRequest, message: &ModelInferRequest, mut around: Vec<u8>) -> Vec<Bytes> {
    let mut pieces = Vec::new();
    message.encode_raw(&mut around);
    for (_, tensor) in &request.inputs {
        let data = tensor.data();
        encode_key(RAW, WireType::LengthDelimited, &mut around);
        encode_varint(data.len() as u64, &mut around);
        if data.len() <= MAX_COPIED_BYTES {
            around.extend_from_slice(data);
        } else {
            pieces.extend([Bytes::from(take(&mut around)), data.clone()]);
        }
    }
    pieces.push(Bytes::from(around));
    pieces
}

#[cfg(test)]
mod tests {
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

    #[tokio::test]
    async fn encoding_equals_prost() {
        for sizes in [
            &[][..],
            &[0],
            &[9],
            &[MAX_COPIED_BYTES, 5],
            &[9, MAX_COPIED_BYTES + 1],
            &[MAX_COPIED_BYTES + 1, MAX_COPIED_BYTES + 2],
        ] {
            let request = request(sizes);
            let plain = encode(&request).unwrap();
            let small = compressed(&request).await.unwrap();
            let encoded = message::encode(&request);
            let encoded = [framed(&encoded, false).await, framed(&encoded, true).await];
            let [one, other] = encoded.map(Result::unwrap);
            let table = [(plain, false), (small, true), (one, false), (other, true)];
            for (pieces, compressed) in table {
                let mut arriving = Arriving::default();
                let mut pieces = pieces.iter();
                pieces.try_for_each(|piece| arriving.push(piece)).unwrap();
                let (flag, mut message) = arriving.finish().unwrap();
                assert_eq!(flag, compressed);
                if compressed {
                    message = gzip::decompress(message, 0).await.unwrap();
                }
                let message = ModelInferRequest::decode(message).unwrap();
                assert_eq!(message, message::encode(&request), "{sizes:?} {compressed}");
            }
        }
    }

    #[test]
    fn large_elements_are_not_copied() {
        let request = request(&[MAX_COPIED_BYTES + 1, MAX_COPIED_BYTES, MAX_COPIED_BYTES + 1]);
        let pieces = encode(&request).unwrap();
        let addresses: Vec<_> = pieces.iter().map(|piece| piece.as_ptr()).collect();
        let address = |index: usize| request.inputs[index].1.data().as_ptr();
        assert_eq!((addresses[1], addresses[3]), (address(0), address(2)));
        assert_eq!(pieces.len(), 5);
    }
}
