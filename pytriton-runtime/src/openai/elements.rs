use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::json::parse;
use crate::text::excerpt;

/// Returns the elements of an array as JSON text. Returns a message if it is not an array or has
/// more than `most` elements.
pub(super) fn elements(array: &RawValue, most: usize) -> Result<Vec<&RawValue>, String> {
    let mut elements = Vec::new();
    for_each(array, |element| {
        if elements.len() == most {
            return Err(format!("expected at most {most} elements"));
        }
        elements.push(element);
        Ok(())
    })?;
    Ok(elements)
}

/// Calls `look` for each element of an array, until it returns an error.
pub(super) fn for_each<'a>(
    array: &'a RawValue,
    look: impl FnMut(&'a RawValue) -> Result<(), String>,
) -> Result<(), String> {
    parse(array.get(), Elements { look }).map_err(|error| excerpt(&error))
}

struct Elements<L> {
    look: L,
}

impl<'de, L: FnMut(&'de RawValue) -> Result<(), String>> DeserializeSeed<'de> for Elements<L> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, L: FnMut(&'de RawValue) -> Result<(), String>> Visitor<'de> for Elements<L> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut array: A) -> Result<(), A::Error> {
        while let Some(element) = array.next_element()? {
            (self.look)(element).map_err(Error::custom)?;
        }
        Ok(())
    }
}
