use pytriton_core::memory_budget::MemoryBudgetError;
use thiserror::Error;

/// The maximum number of items of a list, or of members of an object, unless it has a smaller one.
/// An empty item takes two bytes of text and forty times as many of memory.
pub(crate) const MAX_ITEMS: usize = 1 << 16;

/// The maximum number of items of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    /// The number.
    pub(crate) items: usize,
    /// The items, for messages.
    pub(crate) noun: &'static str,
}

/// A list or an object has its maximum number of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("more than {} {}", .0.items, .0.noun)]
pub(crate) struct Full(pub(crate) Limit);

/// Why an item cannot be added to a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum CollectionError {
    /// The collection is full.
    #[error(transparent)]
    Full(#[from] Full),
    /// The memory for the collection to grow cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
}

impl Limit {
    /// Creates a limit of `items`, which `noun` names in messages.
    pub(crate) const fn new(items: usize, noun: &'static str) -> Self {
        Self { items, noun }
    }

    /// Returns the limit of collections that have no smaller one.
    pub(crate) const fn of(noun: &'static str) -> Self {
        Self::new(MAX_ITEMS, noun)
    }

    /// Checks whether a collection of `length` items may have one more.
    ///
    /// # Errors
    ///
    /// Returns [`Full`] if it may not.
    #[inline]
    pub(crate) const fn check(self, length: usize) -> Result<(), Full> {
        match length < self.items {
            true => Ok(()),
            false => Err(Full(self)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_has_as_many_items_as_its_limit() {
        for limit in [0, 1, MAX_ITEMS] {
            let limit = Limit::new(limit, "parts");
            let fits: Vec<_> = (0..limit.items + 2)
                .map(|length| limit.check(length))
                .collect();
            assert_eq!(fits.iter().filter(|fits| fits.is_ok()).count(), limit.items);
            let error = fits[limit.items].unwrap_err().to_string();
            assert_eq!(error, format!("more than {} parts", limit.items));
        }
    }
}
