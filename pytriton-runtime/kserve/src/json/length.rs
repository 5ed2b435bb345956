use super::flat::string_length;

/// Returns the number of direct elements of an array, or `None` if the value is not an array.
///
/// The text must be a single valid JSON value.
pub(crate) fn length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'[') {
        return None;
    }
    let (mut at, mut depth, mut commas, mut empty) = (0, 0_usize, 0, true);
    while let Some(byte) = bytes.get(at) {
        let step = match byte {
            b'"' => string_length(&bytes[at..]),
            _ => 1,
        };
        match byte {
            b'[' | b'{' => {
                empty &= depth == 0;
                depth += 1;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => commas += usize::from(depth == 1),
            b' ' | b'\t' | b'\n' | b'\r' => {}
            _ => empty = false,
        }
        at += step;
    }
    Some(if empty { 0 } else { commas + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_top_level_elements_are_counted() {
        let table = [
            ("[]", Some(0)),
            ("[ \n]", Some(0)),
            ("[[]]", Some(1)),
            ("[{}]", Some(1)),
            ("[null]", Some(1)),
            (r#"["a,\"b]",[1,2,[3,4]],{"c":[5,6]}, 7 ]"#, Some(4)),
            ("[[[1,2]],[3]]", Some(2)),
            (r#"["[",1]"#, Some(2)),
            (r#"["]","}",1]"#, Some(3)),
            ("1", None),
            (r#""[1,2]""#, None),
            (r#"{"a":[1,2]}"#, None),
        ];
        for (text, expected) in table {
            assert_eq!(length(text), expected, "{text}");
        }
        let deep = format!("{}1{}", "[".repeat(250_000), "]".repeat(250_000));
        assert_eq!(length(&deep), Some(1));
    }
}
