/// Tokens that Triton accepts but JSON does not have, and numbers of the same length.
const TOKENS: [(&str, &str); 4] = [
    ("-Infinity", "-0       "),
    ("Infinity", "0       "),
    ("-NaN", "-0  "),
    ("NaN", "0  "),
];

/// Finds the first `NaN` or `Infinity` outside of strings. Returns its position, the token, and the
/// text with all of them replaced by numbers, so that the enclosing member can be found.
///
/// Called only for invalid JSON, to explain the error.
pub(crate) fn not_finite(text: &str) -> Option<(usize, &'static str, String)> {
    let mut repaired = String::with_capacity(text.len());
    let mut first = None;
    let mut quoted = false;
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let token = TOKENS
            .iter()
            .find(|(token, _)| !quoted && rest.starts_with(token));
        if let Some((token, number)) = token {
            first = first.or(Some((repaired.len(), *token)));
            repaired.push_str(number);
            rest = &rest[token.len()..];
            continue;
        }
        let length = match next {
            '"' => {
                quoted = !quoted;
                1
            }
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            _ => next.len_utf8(),
        };
        repaired.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    let (at, token) = first?;
    Some((at, token, repaired))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_finite_tokens_are_replaced_outside_of_strings() {
        let table = [
            (r#"["NaN",1]"#, None),
            (
                r#"["\"NaN",NaN,-Infinity]"#,
                Some((9, "NaN", r#"["\"NaN",0  ,-0       ]"#)),
            ),
            ("[-Infinity]", Some((1, "-Infinity", "[-0       ]"))),
            (
                r#"{"é\\":Infinity}"#,
                Some((8, "Infinity", r#"{"é\\":0       }"#)),
            ),
            ("\\", None),
        ];
        for (text, expected) in table {
            let expected = expected.map(|(at, token, text)| (at, token, text.to_owned()));
            assert_eq!(not_finite(text), expected, "{text}");
        }
    }
}
