//! Names in certificates as text.

use std::fmt::Write;

use super::der::{Der, SEQUENCE};

const SET: u8 = 0x31;
const OBJECT_IDENTIFIER: u8 = 0x06;
const UTF8_STRING: u8 = 0x0c;
const PRINTABLE_STRING: u8 = 0x13;
const IA5_STRING: u8 = 0x16;
const BMP_STRING: u8 = 0x1e;

/// The attributes with a short name: those of RFC 4514, and the e-mail address, as in OpenSSL.
const SHORT_NAMES: [(&[u8], &str); 10] = [
    (&[0x55, 4, 3], "CN"),
    (&[0x55, 4, 7], "L"),
    (&[0x55, 4, 8], "ST"),
    (&[0x55, 4, 10], "O"),
    (&[0x55, 4, 11], "OU"),
    (&[0x55, 4, 6], "C"),
    (&[0x55, 4, 9], "STREET"),
    (
        &[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 0x19],
        "DC",
    ),
    (
        &[0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 1],
        "UID",
    ),
    (
        &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1],
        "emailAddress",
    ),
];

/// Returns the text of a name as RFC 4514 defines it, or `None` if the name is empty or malformed.
///
/// The text is unambiguous: a value cannot imitate another attribute, because separators in it are
/// escaped. Control characters are escaped, too.
pub(super) fn text(mut name: Der<'_>) -> Option<String> {
    let mut parts = Vec::new();
    while !name.is_empty() {
        parts.push(relative_name(name.inside(SET)?)?);
    }
    // The most specific part is the last one in a certificate, and the first one in the text.
    parts.reverse();
    (!parts.is_empty()).then(|| parts.join(","))
}

fn relative_name(mut attributes: Der<'_>) -> Option<String> {
    let mut texts = Vec::new();
    while !attributes.is_empty() {
        texts.push(attribute(attributes.inside(SEQUENCE)?)?);
    }
    (!texts.is_empty()).then(|| texts.join("+"))
}

fn attribute(mut pair: Der<'_>) -> Option<String> {
    let Der(identifier) = pair.inside(OBJECT_IDENTIFIER)?;
    let (tag, whole, contents) = pair.next()?;
    if !pair.is_empty() {
        return None;
    }
    let mut names = SHORT_NAMES.iter();
    let name = names.find_map(|(bytes, name)| (*bytes == identifier).then_some(*name));
    let value = name.and_then(|_| string(tag, contents));
    let name = match name {
        Some(name) => name.to_owned(),
        None => dotted(identifier)?,
    };
    Some(match value {
        Some(value) => format!("{name}={}", escaped(&value)),
        None => format!("{name}=#{}", hexadecimal(whole)),
    })
}

/// Decodes a string, or returns `None` if it has another type.
fn string(tag: u8, contents: &[u8]) -> Option<String> {
    match tag {
        UTF8_STRING => str::from_utf8(contents).ok().map(str::to_owned),
        PRINTABLE_STRING | IA5_STRING if contents.is_ascii() => {
            str::from_utf8(contents).ok().map(str::to_owned)
        }
        BMP_STRING => {
            let (units, []) = contents.as_chunks::<2>() else {
                return None;
            };
            let units: Vec<u16> = units.iter().map(|unit| u16::from_be_bytes(*unit)).collect();
            String::from_utf16(&units).ok()
        }
        _ => None,
    }
}

fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let last = value.chars().count().saturating_sub(1);
    for (index, character) in value.chars().enumerate() {
        let is_edge = index == 0 || index == last;
        match character {
            '"' | '+' | ',' | ';' | '<' | '>' | '\\' => text.extend(['\\', character]),
            '#' if index == 0 => text.push_str("\\#"),
            ' ' if is_edge => text.push_str("\\ "),
            control if control.is_control() => {
                let mut buffer = [0; 4];
                for byte in control.encode_utf8(&mut buffer).bytes() {
                    text.push('\\');
                    text.push_str(&hexadecimal(&[byte]));
                }
            }
            other => text.push(other),
        }
    }
    text
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns an object identifier with dots, or `None` if it is malformed.
fn dotted(identifier: &[u8]) -> Option<String> {
    let mut numbers: Vec<u64> = Vec::new();
    let mut number: u64 = 0;
    for byte in identifier {
        number = number.checked_mul(128)? | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            numbers.push(number);
            number = 0;
        }
    }
    if identifier.last()? & 0x80 != 0 {
        return None;
    }
    let (first, rest) = numbers.split_first()?;
    let top = (first / 40).min(2);
    let start = [top, first - top * 40];
    let numbers = start.iter().chain(rest).map(u64::to_string);
    Some(numbers.collect::<Vec<_>>().join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CN: &[u8] = &[0x55, 4, 3];
    const O: &[u8] = &[0x55, 4, 10];

    fn der(tag: u8, inside: &[u8]) -> Vec<u8> {
        let length = u8::try_from(inside.len()).unwrap();
        [&[tag, length][..], inside].concat()
    }

    fn pair(identifier: &[u8], tag: u8, value: &[u8]) -> Vec<u8> {
        let pair = [der(OBJECT_IDENTIFIER, identifier), der(tag, value)].concat();
        der(SEQUENCE, &pair)
    }

    fn of(sets: &[&[Vec<u8>]]) -> Option<String> {
        let sets = sets.iter().map(|set| der(SET, &set.concat()));
        text(Der(&sets.collect::<Vec<_>>().concat()))
    }

    #[test]
    fn names_have_the_form_of_rfc_4514() {
        let utf8 = |text: &str| pair(CN, UTF8_STRING, text.as_bytes());
        let table: [(Vec<u8>, &str); 14] = [
            (utf8("alice"), "CN=alice"),
            (pair(CN, PRINTABLE_STRING, b"alice"), "CN=alice"),
            (pair(CN, BMP_STRING, b"\0a\x01\x42"), "CN=a\u{142}"),
            (utf8("Lučić"), "CN=Lučić"),
            (utf8("a,O=Example"), "CN=a\\,O=Example"),
            (utf8("a+b;<c>\"\\"), "CN=a\\+b\\;\\<c\\>\\\"\\\\"),
            (utf8("#1 #2"), "CN=\\#1 #2"),
            (utf8(" a b "), "CN=\\ a b\\ "),
            (utf8(" "), "CN=\\ "),
            (utf8("a\nb\0"), "CN=a\\0ab\\00"),
            // Without a string form, or with the wrong bytes for it.
            (pair(CN, 0x04, b"a"), "CN=#040161"),
            (pair(CN, UTF8_STRING, b"\xff"), "CN=#0c01ff"),
            (
                pair(&[0x55, 4, 5], PRINTABLE_STRING, b"7"),
                "2.5.4.5=#130137",
            ),
            (
                pair(
                    &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 1],
                    IA5_STRING,
                    b"a@b",
                ),
                "emailAddress=a@b",
            ),
        ];
        for (pair, expected) in table {
            assert_eq!(of(&[&[pair]]).as_deref(), Some(expected));
        }
        let organization = || pair(O, UTF8_STRING, b"Example");
        assert_eq!(
            of(&[&[organization()], &[utf8("alice")]]).as_deref(),
            Some("CN=alice,O=Example")
        );
        assert_eq!(
            of(&[&[utf8("alice"), organization()]]).as_deref(),
            Some("CN=alice+O=Example")
        );
    }

    #[test]
    fn malformed_names_have_no_text() {
        let valid = der(SET, &pair(CN, UTF8_STRING, b"alice"));
        for length in 0..valid.len() {
            assert_eq!(text(Der(&valid[..length])), None, "{length}");
        }
        for byte in 0..valid.len() {
            for value in [0, 0x7f, 0x80, 0x84, 0xff] {
                let mut changed = valid.clone();
                changed[byte] = value;
                // Must not panic.
                let _ = text(Der(&changed));
            }
        }
        assert_eq!(of(&[&[]]), None);
        let open = [0x55, 0x84];
        let huge = [0xff; 12];
        for identifier in [&open[..], &huge, &[]] {
            assert_eq!(of(&[&[pair(identifier, UTF8_STRING, b"a")]]), None);
        }
    }
}
