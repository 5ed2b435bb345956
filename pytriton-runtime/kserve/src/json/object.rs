use std::fmt;

use pytriton_core::text::excerpt;
use serde::de::{
    DeserializeSeed, Deserializer, Error, Expected, IgnoredAny, MapAccess, Unexpected, Visitor,
};
use serde_json::value::RawValue;

/// A string in place of an object or array. The parser would copy a longer one for its error.
const SHORT_STRING: usize = 64;

/// Parses a single JSON text, which is an object or array. A byte-order mark may precede it, as in
/// Triton 2.51.
pub(crate) fn parse<'a, S: DeserializeSeed<'a>>(
    text: &'a str,
    seed: S,
) -> Result<S::Value, serde_json::Error> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = match text.trim_start().starts_with('"') && text.len() > SHORT_STRING {
        true => "\"…\"",
        false => text,
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = seed.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Returns the error for a string in place of an object or array, which names the beginning of the
/// string.
pub(super) fn unexpected_string<E: Error>(text: &str, expected: &dyn Expected) -> E {
    E::invalid_type(Unexpected::Str(&excerpt(text)), expected)
}

/// Parses an object and returns the texts of the known members. A duplicate member is an error.
/// Other members are skipped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Object<const N: usize> {
    /// The name of the object, for messages.
    pub(crate) noun: &'static str,
    /// The known members.
    pub(crate) names: [&'static str; N],
}

impl<'de, const N: usize> DeserializeSeed<'de> for Object<N> {
    type Value = [Option<&'de RawValue>; N];

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for Object<N> {
    type Value = [Option<&'de RawValue>; N];

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Err(unexpected_string(text, &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = [None; N];
        while let Some(index) = map.next_key_seed(Key(&self.names))? {
            let Some(index) = index else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            if members[index].is_some() {
                return Err(twice(self.names[index]));
            }
            members[index] = Some(map.next_value()?);
        }
        Ok(members)
    }
}

/// Parses the name of a member. Returns its index among the known ones.
#[derive(Debug)]
pub(crate) struct Key<'n>(pub(crate) &'n [&'static str]);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|known| *known == name))
    }
}

/// Returns the error of a duplicate member.
pub(crate) fn twice<E: Error>(name: &str) -> E {
    E::custom(format_args!("member '{name}' occurs twice"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINT: Object<2> = Object {
        noun: "a point",
        names: ["x", "y"],
    };

    #[test]
    fn known_members_keep_their_text() {
        let text = r#" { "z" : [[{}]], "\u0079":[ 1,2 ] ,"x": null}"#;
        let [x, y] = parse(text, POINT).unwrap();
        assert_eq!(x.unwrap().get(), "null");
        assert_eq!(y.unwrap().get(), "[ 1,2 ]");
        assert!(parse("{}", POINT).unwrap().iter().all(Option::is_none));
    }

    #[test]
    fn parse_errors_are_specific() {
        let long = format!(" \"{}", "no".repeat(SHORT_STRING));
        let table = [
            ("", "EOF"),
            ("[]", "invalid type: sequence, expected a point"),
            (r#"{"x":1,"x":2}"#, "member 'x' occurs twice"),
            (r#"{"x":1} {}"#, "trailing characters"),
            (r#"{"x":1e}"#, "invalid number"),
            (r#"{"x":NaN}"#, "expected value"),
            ("\"no\"", "invalid type: string \"no\", expected a point"),
            (&long, "invalid type: string \"…\", expected a point"),
        ];
        for (text, expected) in table {
            let message = parse(text, POINT).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
