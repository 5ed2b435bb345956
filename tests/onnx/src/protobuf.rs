//! The encoding of protobuf messages.

/// Returns a field with a number.
pub fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

/// Returns a field with a text, a list of numbers, or a message.
pub fn bytes(field: u64, value: impl AsRef<[u8]>) -> Vec<u8> {
    let value = value.as_ref();
    let length = varint(value.len() as u64);
    [varint(field << 3 | 2), length, value.to_vec()].concat()
}

/// Returns a number, with 7 bits in each byte.
fn varint(mut value: u64) -> Vec<u8> {
    let mut encoded = Vec::new();
    while value > 0x7f {
        encoded.push(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    encoded.push(value.to_le_bytes()[0]);
    encoded
}
