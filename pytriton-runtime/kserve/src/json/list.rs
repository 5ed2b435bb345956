use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::object::unexpected_string;
use super::{Bounded, Bounds, Limit, Object};

/// Parses an array of objects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List<const N: usize> {
    /// The name of the array, for messages.
    pub(crate) noun: &'static str,
    /// The objects.
    pub(crate) item: Object<N>,
}

impl<const N: usize> List<N> {
    /// Adds bounds.
    pub(crate) fn within<'b, 'p>(self, bounds: &'b mut Bounds<'p>) -> ListSeed<'b, 'p, N> {
        ListSeed { list: self, bounds }
    }
}

/// Parses a list within bounds.
#[derive(Debug)]
pub(crate) struct ListSeed<'b, 'p, const N: usize> {
    list: List<N>,
    bounds: &'b mut Bounds<'p>,
}

impl<'de, const N: usize> DeserializeSeed<'de> for ListSeed<'_, '_, N> {
    type Value = Vec<[Option<&'de RawValue>; N]>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for ListSeed<'_, '_, N> {
    type Value = Vec<[Option<&'de RawValue>; N]>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.list.noun)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Err(unexpected_string(text, &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Bounded::<Vec<_>>::new(Limit::of("items"));
        while let Some(item) = items.next_element_seed(self.list.item)? {
            self.bounds.push(&mut list, item)?;
        }
        Ok(list.into_items())
    }
}
