//! The encoding of protobuf messages.

/// Returns a field with a number.
pub fn number(field: u8, mut value: u64) -> Vec<u8> {
    let mut encoded = vec![field << 3];
    while value > 0x7f {
        encoded.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    encoded.push(value as u8);
    encoded
}

/// Returns a field with a text, a list of numbers, or a message.
pub fn bytes(field: u8, value: impl AsRef<[u8]>) -> Vec<u8> {
    let value = value.as_ref();
    let mut encoded = number(field, value.len() as u64);
    encoded[0] |= 2;
    encoded.extend_from_slice(value);
    encoded
}
