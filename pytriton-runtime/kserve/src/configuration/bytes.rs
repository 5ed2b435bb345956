use super::{Message, Scalar, Value};

const VARINT: u64 = 0;
const LENGTH_DELIMITED: u64 = 2;
const FIXED_32: u64 = 5;

/// The fields of a map entry.
const KEY: u32 = 1;
const VALUE: u32 = 2;

impl Message<'_> {
    /// Encodes the message as protobuf, including Triton's defaults.
    ///
    /// # Examples
    ///
    /// ```
    /// # use pytriton_kserve::configuration::{Field, Message};
    /// let message = Message {
    ///     fields: vec![Field { name: "count", number: 2, value: 300_u64.into(), explicit: true }],
    /// };
    /// assert_eq!(message.bytes(), [0x10, 0xac, 0x02]);
    /// ```
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for field in &self.fields {
            self::field(&mut bytes, field.number, &field.value);
        }
        bytes
    }
}

fn field(bytes: &mut Vec<u8>, number: u32, value: &Value<'_>) {
    match value {
        Value::Scalar(inner) => scalar(bytes, number, inner),
        Value::Message(message) => delimited(bytes, number, &message.bytes()),
        Value::Numbers(numbers) if numbers.is_empty() => {}
        Value::Numbers(numbers) => {
            let mut packed = Vec::new();
            for number in &**numbers {
                varint(&mut packed, number.cast_unsigned());
            }
            delimited(bytes, number, &packed);
        }
        Value::Messages(messages) => {
            for message in messages {
                delimited(bytes, number, &message.bytes());
            }
        }
        Value::Map(entries) => {
            for (key, message) in entries {
                let mut entry = Vec::new();
                scalar(&mut entry, KEY, key);
                delimited(&mut entry, VALUE, &message.bytes());
                delimited(bytes, number, &entry);
            }
        }
    }
}

/// Values equal to the protobuf default are omitted.
fn scalar(bytes: &mut Vec<u8>, number: u32, scalar: &Scalar<'_>) {
    let value = match scalar {
        Scalar::Text(text) if text.is_empty() => return,
        Scalar::Text(text) => return delimited(bytes, number, text.as_bytes()),
        Scalar::Fraction(0.0) => return,
        Scalar::Fraction(value) => {
            varint(bytes, u64::from(number) << 3 | FIXED_32);
            return bytes.extend_from_slice(&value.to_le_bytes());
        }
        Scalar::Boolean(boolean) => u64::from(*boolean),
        Scalar::Number(value) => *value,
        Scalar::Enumeration(_, value) => u64::from(*value),
    };
    if value != 0 {
        varint(bytes, u64::from(number) << 3 | VARINT);
        varint(bytes, value);
    }
}

fn delimited(bytes: &mut Vec<u8>, number: u32, content: &[u8]) {
    varint(bytes, u64::from(number) << 3 | LENGTH_DELIMITED);
    varint(bytes, content.len() as u64);
    bytes.extend_from_slice(content);
}

fn varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    bytes.push(value.to_le_bytes()[0]);
}
