use pytriton_core::model::TensorSpec;
use pytriton_protocol::tensor::DataType;
use serde_json::{Value, json};

/// Returns the schema of an element in a request. Numbers have the range of the type.
pub(super) fn request_element(datatype: DataType) -> Value {
    let mut schema = response_element(datatype);
    let largest = match datatype {
        // The shortest text of the largest float. Its value is slightly larger, but parses to the
        // float.
        DataType::Fp32 => 3.4028235e38,
        DataType::Fp64 => f64::MAX,
        _ => return schema,
    };
    schema["minimum"] = json!(-largest);
    schema["maximum"] = json!(largest);
    schema
}

/// Returns the schema of an element in a response. A float may be NaN or infinite.
pub(super) fn response_element(datatype: DataType) -> Value {
    match datatype {
        DataType::Bool => json!({ "type": "boolean" }),
        DataType::Uint8 => integer(u8::MIN, u8::MAX),
        DataType::Uint16 => integer(u16::MIN, u16::MAX),
        DataType::Uint32 => integer(u32::MIN, u32::MAX),
        DataType::Uint64 => integer(u64::MIN, u64::MAX),
        DataType::Int8 => integer(i8::MIN, i8::MAX),
        DataType::Int16 => integer(i16::MIN, i16::MAX),
        DataType::Int32 => integer(i32::MIN, i32::MAX),
        DataType::Int64 => integer(i64::MIN, i64::MAX),
        DataType::Fp32 => json!({ "type": "number", "format": "float" }),
        DataType::Fp64 => json!({ "type": "number", "format": "double" }),
        DataType::Bytes => json!({ "type": "string" }),
        DataType::Fp16 | DataType::Bf16 => json!({
            "not": {},
            "description": format!("{datatype} cannot be represented in JSON."),
        }),
    }
}

/// Returns the elements of the example, if there is one that JSON can represent.
pub(super) fn example(tensor: &TensorSpec) -> Option<Value> {
    let elements = tensor.example.iter().map(|text| match tensor.datatype {
        DataType::Bytes => Some(json!(&**text)),
        _ => serde_json::from_str(text).ok(),
    });
    let elements: Option<Vec<Value>> = elements.collect();
    elements
        .filter(|elements| !elements.is_empty())
        .map(Value::Array)
}

/// Returns whether JSON requests can contain elements of this type.
pub(super) fn in_json(datatype: DataType) -> bool {
    !matches!(datatype, DataType::Fp16 | DataType::Bf16)
}

fn integer<T: Into<Value>>(least: T, largest: T) -> Value {
    json!({ "type": "integer", "minimum": least.into(), "maximum": largest.into() })
}
