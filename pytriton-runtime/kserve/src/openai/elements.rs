use std::fmt;

use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::text::excerpt;
use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::json::{Bounded, CollectionError, Full, Limit, parse};

/// Why the elements of an array could not be returned.
#[derive(Debug)]
pub(super) enum ElementsError {
    /// A description of the mistake.
    Invalid(String),
    /// The memory of the list cannot be reserved.
    Budget(MemoryBudgetError),
}

/// Returns the elements of an array as JSON text.
///
/// # Errors
///
/// Returns an [`ElementsError`] if it is not an array, has more than `limit` elements, or if the
/// memory of the list cannot be reserved.
pub(super) fn elements<'a>(
    array: &'a RawValue,
    limit: usize,
    permit: &mut MemoryPermit,
) -> Result<Vec<&'a RawValue>, ElementsError> {
    let mut elements = Bounded::<Vec<_>>::new(Limit::new(limit, "elements"));
    let mut refused = None;
    let read = for_each(array, |element| {
        elements.push(element, permit).map_err(|error| match error {
            CollectionError::Full(full) => at_most(full),
            CollectionError::Budget(error) => {
                refused = Some(error);
                error.to_string()
            }
        })
    });
    match (read, refused) {
        (Ok(()), _) => Ok(elements.into_items()),
        (Err(_), Some(error)) => Err(ElementsError::Budget(error)),
        (Err(what), None) => Err(ElementsError::Invalid(what)),
    }
}

/// Returns the description of an array with too many elements.
pub(super) fn at_most(Full(limit): Full) -> String {
    format!("expected at most {} {}", limit.items, limit.noun)
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
