use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use pytriton_core::file::read_limited;

use super::{AccessError, Secret};

/// The variable with the token, used if there is no token file.
pub const VARIABLE: &str = "PYTRITON_TRITON_CONFIG_ACCESS_TOKEN";

/// The maximum size of a token file.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// The minimum length of a token. A shorter one can be guessed, or is only part of one.
const MIN_TOKEN_LENGTH: usize = 16;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Reads the tokens from a file.
pub(super) fn read(path: &Path) -> Result<Vec<Secret>, AccessError> {
    match read_limited(path, MAX_FILE_BYTES) {
        Ok(bytes) => parse(&bytes, || format!("--access-token-file {}", path.display())),
        Err(source) => Err(AccessError::Read {
            path: path.to_owned(),
            source,
        }),
    }
}

/// Parses the tokens of a text, one per line. The name of its clients, if it has one, and a colon
/// precede the token. Empty lines are ignored.
pub(super) fn parse(bytes: &[u8], place: impl Fn() -> String) -> Result<Vec<Secret>, AccessError> {
    let mistake = |found| AccessError::Token {
        place: place(),
        found,
    };
    let text = str::from_utf8(bytes).map_err(|_| mistake("not UTF-8"))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let visible = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
    let secret = |token: &str| match visible(token) {
        true if token.len() < MIN_TOKEN_LENGTH => Err(mistake("too short")),
        true => Ok(Secret::new(token)),
        false => Err(mistake("in a different format")),
    };
    let tokens = lines.map(|line| {
        let Some((name, token)) = line.split_once([' ', '\t']) else {
            return secret(line);
        };
        // Without the colon, a line of two tokens would name one after the other.
        match name.strip_suffix(':') {
            Some(name) if !name.is_empty() && visible(name) => {
                Ok(secret(token.trim_start())?.named(name))
            }
            _ => Err(mistake("in a different format")),
        }
    });
    let tokens: Vec<Secret> = tokens.collect::<Result<_, _>>()?;
    let ambiguous = |secret: &Secret| tokens.iter().any(|other| secret.is_renamed(other));
    if tokens.iter().any(ambiguous) {
        return Err(mistake(
            "the same token on several lines with different names",
        ));
    }
    match tokens.is_empty() {
        true => Err(mistake("empty")),
        false => Ok(tokens),
    }
}

/// Generates a token of 256 random bits, like PyTriton: 43 characters that never need quotes.
pub(super) fn generate() -> io::Result<Secret> {
    let mut bytes = [0; 32];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(Secret::new(&base64_url(&bytes)))
}

/// Encodes bytes in URL-safe base64 without padding.
pub fn base64_url(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits = three
            .iter()
            .chain([&0, &0])
            .take(3)
            .fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        let digits = [18, 12, 6, 0].map(|shift| DIGITS[bits >> shift & 63]);
        text.extend(
            digits
                .iter()
                .take(three.len() + 1)
                .map(|digit| char::from(*digit)),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::access::Secrets;

    use super::*;

    #[test]
    fn each_line_is_a_token() {
        type Row<'a> = (&'a [u8], Result<&'a [&'a str], &'a str>);
        let table: [Row<'_>; 21] = [
            (b"sixteen-visible.", Ok(&["sixteen-visible."])),
            (b"sixteen-visible.\n", Ok(&["sixteen-visible."])),
            (
                b"\n the-new-one-is-it \r\nthe-old-one-was-it\n\n",
                Ok(&["the-new-one-is-it", "the-old-one-was-it"]),
            ),
            (b"fifteen-visible", Err("too short")),
            (b"the-new-one-is-it\nthe-old", Err("too short")),
            (b"", Err("empty")),
            (b" \n", Err("empty")),
            (
                b"alice: sixteen-visible.\nbob:\t \tthe-new-one-is-it",
                Ok(&["sixteen-visible.", "the-new-one-is-it"]),
            ),
            (b"a: b", Err("too short")),
            (b"sixteen-visible.: a", Err("too short")),
            (b"alice sixteen-visible.", Err("in a different format")),
            (
                b"sixteen-visible. the-new-one-is-it",
                Err("in a different format"),
            ),
            (b": sixteen-visible.", Err("in a different format")),
            (b"a: sixteen-visible. b", Err("in a different format")),
            (
                "é: sixteen-visible.".as_bytes(),
                Err("in a different format"),
            ),
            (
                b"sixteen-visible.\nsixteen-visible.",
                Ok(&["sixteen-visible.", "sixteen-visible."]),
            ),
            (
                b"a: sixteen-visible.\nb: sixteen-visible.",
                Err("with different names"),
            ),
            (
                b"sixteen-visible.\nother: the-new-one-is-it\nb: sixteen-visible.",
                Err("with different names"),
            ),
            (
                b"a: sixteen-visible.\na: sixteen-visible.",
                Ok(&["sixteen-visible.", "sixteen-visible."]),
            ),
            ("é".as_bytes(), Err("in a different format")),
            (b"\xff", Err("not UTF-8")),
        ];
        for (bytes, expected) in table {
            let got = parse(bytes, || "f".to_owned());
            match (got, expected) {
                (Ok(got), Ok(expected)) => {
                    let got: Vec<&str> = got.iter().map(Secret::expose).collect();
                    assert_eq!(got, expected);
                }
                (Err(error), Err(expected)) => {
                    assert!(error.to_string().ends_with(expected), "{error}");
                }
                (got, expected) => panic!("{got:?} {expected:?}"),
            }
        }
    }

    #[test]
    fn name_precedes_its_token() {
        let text = b"alice: sixteen-visible.\nthe-new-one-is-it\nbob:  the-third-one-is-it";
        let secrets = Secrets::new(parse(text, || "f".to_owned()).unwrap());
        for (token, name) in [
            ("sixteen-visible.", Some("alice")),
            ("the-new-one-is-it", None),
            ("the-third-one-is-it", Some("bob")),
        ] {
            assert!(secrets.have(token.as_bytes()));
            assert_eq!(secrets.name_of(token.as_bytes()).as_deref(), name);
        }
        assert!(!secrets.have(b"alice: sixteen-visible."));
    }

    #[test]
    fn token_must_be_a_small_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(MAX_FILE_BYTES + 1).unwrap();
        for path in [file.path(), Path::new("/dev/zero"), Path::new("/")] {
            assert!(matches!(read(path), Err(AccessError::Read { .. })));
        }
    }

    #[test]
    fn generated_token_matches_pytriton() {
        let (one, other) = (generate().unwrap(), generate().unwrap());
        assert_eq!(one.expose().len(), 43);
        assert!(one.expose().bytes().all(|byte| DIGITS.contains(&byte)));
        assert_ne!(one, other);
        for (bytes, expected) in [
            (&b"f"[..], "Zg"),
            (b"fo", "Zm8"),
            (b"foo", "Zm9v"),
            (b"\xff\xfe\xfd\xfc", "__79_A"),
        ] {
            assert_eq!(base64_url(bytes), expected);
        }
    }
}
