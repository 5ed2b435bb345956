/// Passes on what a JSON string says, piece by piece, given the text between its quotes.
///
/// `None` for half of a character, which no text can have. The string must be a valid one, as a parser has already
/// found it to be.
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

/// The character that hexadecimal digits stand for, which may be two halves.
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
    fn escapes_are_what_they_stand_for() {
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
        fn any_string_reads_as_serde_reads_it(text in "([a-z\"\\\\ué😀]|\\\\u[0-9a-fD][0-9a-f]{3}|\\\\[nt/\"]){0,12}") {
            let quoted = format!("\"{text}\"");
            // What is no string at all is never read here.
            if serde_json::from_str::<&serde_json::value::RawValue>(&quoted).is_ok() {
                prop_assert_eq!(read(&text), serde_json::from_str(&quoted).ok());
            }
        }
    }
}
