use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Object;

/// Reads an array of objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List<const N: usize> {
    /// What the array is, for messages.
    pub(crate) noun: &'static str,
    /// What its items are.
    pub(crate) item: Object<N>,
}

/// More inputs or outputs no model has; an empty one takes two bytes of text and forty times as many of memory.
const MOST: usize = 1 << 16;

impl<'de, const N: usize> DeserializeSeed<'de> for List<N> {
    type Value = Vec<[Option<&'de RawValue>; N]>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for List<N> {
    type Value = Vec<[Option<&'de RawValue>; N]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.item)? {
            if list.len() == MOST {
                return Err(Error::custom(format_args!("more than {MOST} items")));
            }
            list.push(item);
        }
        Ok(list)
    }
}
