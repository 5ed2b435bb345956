//! The status of a call in a block of HTTP/2 headers.

/// The Huffman codes of HPACK for what occurs in the name of the status, and for digits: the
/// character, its code and the length of the code in bits.
const CODES: [(u8, u32, u32); 19] = [
    (b'-', 0x16, 6),
    (b'a', 0x3, 5),
    (b'c', 0x4, 5),
    (b'g', 0x26, 6),
    (b'p', 0x2b, 6),
    (b'r', 0x2c, 6),
    (b's', 0x8, 5),
    (b't', 0x9, 5),
    (b'u', 0x2d, 6),
    (b'0', 0x0, 5),
    (b'1', 0x1, 5),
    (b'2', 0x2, 5),
    (b'3', 0x19, 6),
    (b'4', 0x1a, 6),
    (b'5', 0x1b, 6),
    (b'6', 0x1c, 6),
    (b'7', 0x1d, 6),
    (b'8', 0x1e, 6),
    (b'9', 0x1f, 6),
];

/// Returns the status of a call, which the first response of a connection writes as a literal.
pub(crate) fn grpc_status(block: &[u8]) -> Option<u32> {
    let statuses = 0..=16_u32;
    statuses.into_iter().find(|status| {
        let value = status.to_string();
        let values = [huffman(value.as_bytes()), plain(value.as_bytes())];
        let names = [huffman(b"grpc-status"), plain(b"grpc-status")];
        let mut fields = names
            .iter()
            .flat_map(|name| values.iter().map(move |value| [&**name, value].concat()));
        fields.any(|field| block.windows(field.len()).any(|window| window == field))
    })
}

fn plain(text: &[u8]) -> Vec<u8> {
    let length = u8::try_from(text.len()).unwrap_or(0);
    [&[length], text].concat()
}

fn huffman(text: &[u8]) -> Vec<u8> {
    let (mut bits, mut count) = (0_u128, 0);
    for byte in text {
        let known = CODES.iter().find(|(known, ..)| known == byte);
        let &(_, code, length) = known.unwrap_or(&CODES[0]);
        bits = (bits << length) | u128::from(code);
        count += length;
    }
    // The last byte is filled with ones.
    let missing = count.next_multiple_of(8) - count;
    bits = ((bits + 1) << missing) - 1;
    let bytes = bits.to_be_bytes();
    let unused = bytes.len() - (count + missing) as usize / 8;
    let encoded = plain(&bytes[unused..]);
    [&[0x80 | encoded[0]], &encoded[1..]].concat()
}

#[test]
fn the_status_is_found_in_both_encodings() {
    // The example of the value 302 in RFC 7541, C.6.1.
    assert_eq!(huffman(b"302"), [0x82, 0x64, 0x02]);
    for status in 0..=16 {
        let value = status.to_string();
        for encode in [plain, huffman] {
            let field = [encode(b"grpc-status"), encode(value.as_bytes())].concat();
            let block = [&[0x88, 0x40], &field[..], &[0x40, 0x01, b'x', 0x01, b'0']].concat();
            assert_eq!(grpc_status(&block), Some(status));
        }
    }
    assert_eq!(grpc_status(b"\x88grpc-status"), None);
}
