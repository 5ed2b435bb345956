use pytriton_protocol::tensor::{DataType, Element, Tensor};
use serde_json::Value;

use crate::ClientError;

/// Converts elements from nested or flat JSON arrays.
pub(super) fn tensor(
    name: &str,
    datatype: DataType,
    shape: Vec<usize>,
    data: &Value,
) -> Result<Tensor, ClientError> {
    let mut elements = Vec::new();
    flatten(data, &mut elements);
    let read = Read {
        name,
        shape,
        elements,
    };
    match datatype {
        DataType::Bool => read.each(Value::as_bool),
        DataType::Uint8 => read.each(|it| u8::try_from(it.as_u64()?).ok()),
        DataType::Uint16 => read.each(|it| u16::try_from(it.as_u64()?).ok()),
        DataType::Uint32 => read.each(|it| u32::try_from(it.as_u64()?).ok()),
        DataType::Uint64 => read.each(Value::as_u64),
        DataType::Int8 => read.each(|it| i8::try_from(it.as_i64()?).ok()),
        DataType::Int16 => read.each(|it| i16::try_from(it.as_i64()?).ok()),
        DataType::Int32 => read.each(|it| i32::try_from(it.as_i64()?).ok()),
        DataType::Int64 => read.each(Value::as_i64),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the nearest one of its type is what was written"
        )]
        DataType::Fp32 => read.each(|it| it.as_f64().map(|number| number as f32)),
        DataType::Fp64 => read.each(Value::as_f64),
        DataType::Bytes => read.each(|it| it.as_str().map(str::to_owned)),
        DataType::Fp16 | DataType::Bf16 => Err(ClientError::protocol(format!(
            "output `{name}` of {datatype} is in JSON, which cannot represent it"
        ))),
    }
}

struct Read<'a> {
    name: &'a str,
    shape: Vec<usize>,
    elements: Vec<&'a Value>,
}

impl Read<'_> {
    fn each<T: Element>(self, read: impl Fn(&Value) -> Option<T>) -> Result<Tensor, ClientError> {
        let wrong = |element: &Value| {
            let (name, datatype) = (self.name, T::DATATYPE);
            ClientError::protocol(format!(
                "output `{name}` has the element {element}, expected {datatype}"
            ))
        };
        let elements = self.elements.iter();
        let elements = elements.map(|element| read(element).ok_or_else(|| wrong(element)));
        let elements = elements.collect::<Result<Vec<T>, _>>()?;
        Tensor::from_elements(self.shape, elements).map_err(ClientError::tensor(self.name))
    }
}

fn flatten<'a>(data: &'a Value, elements: &mut Vec<&'a Value>) {
    match data {
        Value::Array(items) => items.iter().for_each(|item| flatten(item, elements)),
        element => elements.push(element),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_elements_have_their_datatype() {
        let read = |datatype, data| tensor("y", datatype, vec![1, 2], &data);
        let got = read(DataType::Int8, json!([[1, -2]])).unwrap();
        assert_eq!(got.elements::<i8>().unwrap(), vec![1, -2]);
        let got = read(DataType::Fp32, json!([0.5, 1])).unwrap();
        assert_eq!(got.elements::<f32>().unwrap(), vec![0.5, 1.0]);
        let got = read(DataType::Bytes, json!(["a", "é"])).unwrap();
        assert_eq!(got.elements::<String>().unwrap(), vec!["a", "é"]);
        for (datatype, data) in [
            (DataType::Uint8, json!([1, 256])),
            (DataType::Uint8, json!([1, -1])),
            (DataType::Bool, json!([true, 1])),
            (DataType::Int32, json!([1])),
            (DataType::Fp16, json!([1, 2])),
            (DataType::Bytes, json!(["a", null])),
        ] {
            assert!(read(datatype, data.clone()).is_err(), "{datatype} {data}");
        }
    }
}
