use std::fmt;

/// A secret that both sides know, so that a foreign socket is not mistaken for the worker's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Token(pub [u8; 16]);

impl Token {
    /// Formats the token for an environment variable.
    pub fn to_text(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Parses a token; `None` if the text is malformed.
    pub fn from_text(text: &str) -> Option<Self> {
        let digits = text.as_bytes().as_chunks::<2>().0;
        let bytes = digits.iter().map(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 16).ok()
        });
        let bytes: Vec<u8> = bytes.collect::<Option<_>>()?;
        bytes.try_into().ok().map(Self)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_round_trips_as_text() {
        let token = Token::from_text("000102030405060708090a0b0c0d0eff").unwrap();
        assert_eq!(Token::from_text(&token.to_text()), Some(token));
        for text in [
            "",
            "00",
            "zz0102030405060708090a0b0c0d0eff",
            &"0".repeat(34),
        ] {
            assert_eq!(Token::from_text(text), None, "{text}");
        }
    }
}
