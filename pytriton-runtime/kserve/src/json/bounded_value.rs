use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{Bounded, Limit};

/// Parses an object. Each array and object in it has at most 65,536 items. The caller reserves the
/// memory.
///
/// # Errors
///
/// Returns an error if the text is not a JSON object, or if it has too many items.
pub fn bounded_object(text: &str) -> Result<Map<String, Value>, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let object = deserializer.deserialize_map(BoundedObject)?;
    deserializer.end()?;
    Ok(object)
}

/// Parses an object with a limit on its number of members.
struct BoundedObject;

/// Parses a value with a limit on the number of items of each array and object.
struct BoundedValue;

impl<'de> DeserializeSeed<'de> for BoundedValue {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for BoundedValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Bounded::<Vec<Value>>::new(Limit::of("items"));
        while let Some(item) = items.next_element_seed(Self)? {
            list.push_reserved(item).map_err(Error::custom)?;
        }
        Ok(Value::Array(list.into_items()))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Value, A::Error> {
        BoundedObject.visit_map(members).map(Value::Object)
    }
}

impl<'de> Visitor<'de> for BoundedObject {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut object = Bounded::<Self::Value>::new(Limit::of("members"));
        while let Some(name) = members.next_key::<String>()? {
            let value = members.next_value_seed(BoundedValue)?;
            object.push_reserved((name, value)).map_err(Error::custom)?;
        }
        Ok(object.into_items())
    }
}

#[cfg(test)]
mod tests {
    use super::super::MAX_ITEMS;
    use super::*;

    #[test]
    fn values_are_parsed_as_by_serde() {
        let text =
            r#"{"a":[null,true,-1,18446744073709551615,1.5,"é\n",{"b":{}}],"c":1,"c":2,"":[]}"#;
        let expected: Map<String, Value> = serde_json::from_str(text).unwrap();
        assert_eq!(bounded_object(text).unwrap(), expected);
        for text in ["", "{", "[]", "1", "{} x", r#"{"a":}"#] {
            assert!(bounded_object(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_numbers_of_items_and_members_are_bounded() {
        let items = |count: usize| format!(r#"{{"a":[[{}]]}}"#, vec!["0"; count].join(","));
        let members = |count: usize| {
            let members = (0..count).map(|name| format!(r#""{name}":0"#));
            format!(r#"{{"a":{{{}}}}}"#, members.collect::<Vec<_>>().join(","))
        };
        assert!(bounded_object(&items(MAX_ITEMS)).is_ok());
        assert!(bounded_object(&members(MAX_ITEMS)).is_ok());
        for (text, expected) in [
            (items(MAX_ITEMS + 1), "more than 65536 items"),
            (members(MAX_ITEMS + 1), "more than 65536 members"),
        ] {
            let error = bounded_object(&text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
