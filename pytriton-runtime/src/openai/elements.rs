use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::kserve::json::parse;
use crate::text::excerpt;

/// The elements of an array, still text, of which there are so many at most; what is wrong where it is none.
pub(super) fn elements(array: &RawValue, most: usize) -> Result<Vec<&RawValue>, String> {
    parse(array.get(), Elements { most }).map_err(|error| excerpt(&error))
}

struct Elements {
    most: usize,
}

impl<'de> DeserializeSeed<'de> for Elements {
    type Value = Vec<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements {
    type Value = Vec<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = array.next_element()? {
            if elements.len() == self.most {
                let most = self.most;
                return Err(Error::custom(format_args!(
                    "expected at most {most} elements"
                )));
            }
            elements.push(element);
        }
        Ok(elements)
    }
}
