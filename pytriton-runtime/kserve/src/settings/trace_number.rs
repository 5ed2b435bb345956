use pytriton_core::text::excerpt;

use super::TraceError;

/// Parses the number at the beginning of a text like `std::stoi`.
fn leading(setting: &'static str, text: &str, range: [i64; 2]) -> Result<i32, TraceError> {
    let trimmed = text.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    let signed = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let digits = signed.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Err(TraceError::Number {
            setting,
            got: excerpt(text),
        });
    }
    let number = &trimmed[..trimmed.len() - signed.len() + digits];
    number.parse().map_err(|_| TraceError::Range {
        setting,
        min: range[0],
        max: range[1],
        got: excerpt(text),
    })
}

/// Parses a rate or a frequency. A negative number is reinterpreted as unsigned, as in Triton.
pub(super) fn unsigned(setting: &'static str, text: &str) -> Result<u32, TraceError> {
    leading(setting, text, [0, u32::MAX.into()]).map(i32::cast_unsigned)
}

/// Parses a count; -1 means unlimited. `blank` is the separator in the error message of gRPC.
pub(super) fn count(text: &str, blank: &'static str) -> Result<i32, TraceError> {
    let count = leading("trace_count", text, [-1, i32::MAX.into()])?;
    match count {
        -1.. => Ok(count),
        _ => Err(TraceError::Count {
            blank,
            got: excerpt(text),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_triton_does() {
        let range = "Unable to parse 'trace_rate', value is out of range [ 0, 4294967295 ], got: ";
        let table = [
            ("1", Ok(1)),
            ("5x", Ok(5)),
            (" +7", Ok(7)),
            ("-1", Ok(u32::MAX)),
            ("2147483647", Ok(2_147_483_647)),
            ("2147483648", Err(format!("{range}2147483648"))),
            ("99999999999", Err(format!("{range}99999999999"))),
            ("x", Err("Unable to parse 'trace_rate', got: x".to_owned())),
            ("", Err("Unable to parse 'trace_rate', got: ".to_owned())),
            (
                "- 1",
                Err("Unable to parse 'trace_rate', got: - 1".to_owned()),
            ),
        ];
        for (text, expected) in table {
            let got = unsigned("trace_rate", text).map_err(|error| error.to_string());
            assert_eq!(got, expected, "{text}");
        }
        assert_eq!(count("-1", " "), Ok(-1));
        let error = count("-2", "").unwrap_err().to_string();
        assert_eq!(
            error,
            "Unable to parse 'trace_count'. Expecting value >= -1, got:-2"
        );
    }
}
