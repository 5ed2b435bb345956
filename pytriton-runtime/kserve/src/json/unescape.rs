/// Decodes a JSON string, given without its quotes, and passes the text on piece by piece.
///
/// Returns `None` for an unpaired surrogate. The string must be valid JSON.
pub(crate) fn unescape(text: &str, mut push: impl FnMut(&str)) -> Option<()> {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        push(&rest[..at]);
        let (escape, behind) = rest[at + 1..].split_at_checked(1)?;
        rest = behind;
        push(match escape {
            "b" => "\u{8}",
            "f" => "\u{c}",
            "n" => "\n",
            "r" => "\r",
            "t" => "\t",
            "u" => {
                let character = character(&mut rest)?;
                push(character.encode_utf8(&mut [0; 4]));
                continue;
            }
            itself => itself,
        });
    }
    push(rest);
    Some(())
}

/// Decodes a `\u` escape, which may be a surrogate pair.
fn character(rest: &mut &str) -> Option<char> {
    let unit = unit(rest)?;
    if let Some(character) = char::from_u32(unit.into()) {
        return Some(character);
    }
    *rest = rest.strip_prefix("\\u")?;
    let low = self::unit(rest)?;
    let mut characters = char::decode_utf16([unit, low]);
    characters.next()?.ok()
}

fn unit(rest: &mut &str) -> Option<u16> {
    let (digits, behind) = rest.split_at_checked(4)?;
    *rest = behind;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<String> {
        let mut read = String::new();
        unescape(text, |piece| read.push_str(piece))?;
        Some(read)
    }

    #[test]
    fn escapes_are_decoded() {
        let table = [
            ("", Some("")),
            ("é", Some("é")),
            (r#"\"\\\/\b\f\n\r\tx"#, Some("\"\\/\u{8}\u{c}\n\r\tx")),
            (r"\u00e9\u00E9", Some("éé")),
            (r"a\ud83d\ude00b", Some("a😀b")),
            (r"\ud83d", None),
            (r"\ud83dx", None),
            (r"\ud83d\n", None),
            (r"\ud83d\u0041", None),
            (r"\ude00", None),
        ];
        for (text, expected) in table {
            assert_eq!(read(text).as_deref(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn decoded_strings_equal_serde(text in "([a-z\"\\\\ué😀]|\\\\u[0-9a-fD][0-9a-f]{3}|\\\\[nt/\"]){0,12}") {
            let quoted = format!("\"{text}\"");
            // Only valid JSON strings are decoded.
            if serde_json::from_str::<&serde_json::value::RawValue>(&quoted).is_ok() {
                prop_assert_eq!(read(&text), serde_json::from_str(&quoted).ok());
            }
        }
    }
}
