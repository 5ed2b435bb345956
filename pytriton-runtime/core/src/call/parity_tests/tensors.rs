use std::fmt::Debug;

use ::bytes::Bytes;
use serde_json::Value;

use crate::tensor::{DataType, Element, Tensor, encode_bytes_elements};

pub(super) fn array(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

pub(super) fn integer<T: TryFrom<u64, Error: Debug>>(value: &Value) -> T {
    value.as_u64().unwrap().try_into().unwrap()
}

pub(super) fn strings(value: &Value) -> Vec<&'static str> {
    let texts = array(value).iter().map(|text| text.as_str().unwrap());
    texts.map(|text| &*text.to_owned().leak()).collect()
}

pub(super) fn tensor(value: &Value) -> Tensor {
    let datatype: DataType = value[0].as_str().unwrap().parse().unwrap();
    let shape: Vec<usize> = array(&value[1]).iter().map(integer).collect();
    let elements = array(&value[2]);
    let data = match datatype {
        DataType::Bool => encode(elements, |it| it.as_bool().unwrap()),
        DataType::Uint8 => encode(elements, integer::<u8>),
        DataType::Uint16 => encode(elements, integer::<u16>),
        DataType::Uint32 => encode(elements, integer::<u32>),
        DataType::Uint64 => encode(elements, integer::<u64>),
        DataType::Int8 => encode(elements, signed::<i8>),
        DataType::Int16 => encode(elements, signed::<i16>),
        DataType::Int32 => encode(elements, signed::<i32>),
        DataType::Int64 => encode(elements, signed::<i64>),
        DataType::Fp16 => encode(elements, |it| half::f16::from_f64(float(it))),
        DataType::Bf16 => encode(elements, |it| half::bf16::from_f64(float(it))),
        DataType::Fp32 => encode(elements, |it| float(it).to_string().parse::<f32>().unwrap()),
        DataType::Fp64 => encode(elements, float),
        DataType::Bytes => {
            let elements = elements.iter().map(|it| it.as_str().unwrap().chars());
            let elements: Vec<Vec<u8>> = elements
                .map(|it| it.map(|letter| u8::try_from(letter).unwrap()).collect())
                .collect();
            encode_bytes_elements(elements.iter().map(Vec::as_slice)).unwrap()
        }
    };
    Tensor::new(datatype, shape, data).unwrap()
}

fn encode<T: Element>(elements: &[Value], element: impl Fn(&Value) -> T) -> Bytes {
    T::encode(elements.iter().map(element).collect()).unwrap()
}

fn signed<T: TryFrom<i64, Error: Debug>>(value: &Value) -> T {
    value.as_i64().unwrap().try_into().unwrap()
}

fn float(value: &Value) -> f64 {
    match value.as_str() {
        Some(text) => text.parse().unwrap(),
        None => value.as_f64().unwrap(),
    }
}
