use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::kserve::CodecError;
use crate::kserve::json::parse;
use crate::text::excerpt;

/// More members no request needs; each takes five bytes of text and ten times as many of memory.
const MOST: usize = 1 << 16;

/// The members of an object in their order, their values still text.
pub(crate) type Members<'a> = Vec<(String, &'a RawValue)>;

/// Reads an object, whatever stands in it and however often.
pub(crate) fn members(text: &str) -> Result<Members<'_>, CodecError> {
    parse(text, MembersSeed).map_err(|error| CodecError::Json {
        message: excerpt(&error),
    })
}

struct MembersSeed;

impl<'de> DeserializeSeed<'de> for MembersSeed {
    type Value = Members<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for MembersSeed {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request to be an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Members::new();
        while let Some(member) = map.next_entry()? {
            if members.len() == MOST {
                return Err(Error::custom(format_args!("more than {MOST} members")));
            }
            members.push(member);
        }
        Ok(members)
    }
}
