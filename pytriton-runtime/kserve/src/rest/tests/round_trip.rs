use bytes::Bytes;
use proptest::prelude::*;
use pytriton_core::shared_memory::Regions;
use pytriton_protocol::tensor::{Element, Tensor};

use crate::rest::{ResponseFormat, decode_request};

use super::{decode, encode, input, model, received};

/// Encodes elements as JSON, decodes the output as an input, and returns its bytes.
fn through_json<T: Element>(elements: Vec<T>) -> Bytes {
    let tensor = Tensor::from_elements(vec![1, elements.len()], elements).unwrap();
    let encoded = encode(&ResponseFormat::default(), tensor).unwrap();
    let text = String::from_utf8(encoded.json().to_vec()).unwrap();
    let text = text.replacen("\"outputs\"", "\"inputs\"", 1);
    decode(&text).unwrap().0.inputs[0].data.clone()
}

macro_rules! reads_back {
    ($($name:ident: $rust:ty = $strategy:expr),* $(,)?) => {
        proptest! {$(
            #[test]
            fn $name(elements in prop::collection::vec($strategy, 0..20)) {
                prop_assert_eq!(through_json(elements.clone()), <$rust>::encode(elements).unwrap());
            }
        )*}
    };
}

reads_back! {
    bool_reads_back: bool = any::<bool>(),
    uint8_reads_back: u8 = any::<u8>(),
    uint16_reads_back: u16 = any::<u16>(),
    uint32_reads_back: u32 = any::<u32>(),
    uint64_reads_back: u64 = any::<u64>(),
    int8_reads_back: i8 = any::<i8>(),
    int16_reads_back: i16 = any::<i16>(),
    int32_reads_back: i32 = any::<i32>(),
    int64_reads_back: i64 = any::<i64>(),
    fp32_reads_back: f32 = any::<f32>(),
    fp64_reads_back: f64 = any::<f64>(),
    bytes_reads_back: String = prop::collection::vec(any::<char>(), 0..8).prop_map(|chars| chars.into_iter().collect::<String>()),
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(header in prop::collection::vec(any::<u8>(), 0..200), cut in 0..200_usize) {
        let _ = decode_request(received(header), cut, &model(), 100, &Regions::default());
    }

    #[test]
    fn damaged_requests_are_read_without_a_panic(at in 0..300_usize, byte in any::<u8>(), tail in 0..20_usize) {
        let mut body = input(r#""parameters":{"binary_data_size":8,"a":[1,"\u00e9"]}"#).into_bytes();
        let header = body.len();
        body.extend(vec![0; tail]);
        let index = at % body.len();
        body[index] = byte;
        let _ = decode_request(received(body), header, &model(), 100, &Regions::default());
    }
}
