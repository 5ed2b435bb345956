use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use thiserror::Error;

/// The maximum number of items of a list, or of members of an object, unless it has a smaller one.
/// An empty item takes two bytes of text and forty times as many of memory.
pub(crate) const MAX_ITEMS: usize = 1 << 16;

/// A list of parsed items. It has at most `limit` of them, and their memory is reserved before the
/// list grows.
#[derive(Debug)]
pub(crate) struct BoundedVec<T> {
    items: Vec<T>,
    limit: usize,
    noun: &'static str,
}

/// Why an item cannot be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum BoundedVecError {
    /// The list is full.
    #[error("more than {limit} {noun}")]
    Full {
        /// The maximum number of items.
        limit: usize,
        /// The items.
        noun: &'static str,
    },
    /// The memory for the list to grow cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
}

impl<T> BoundedVec<T> {
    /// Creates an empty list of at most `limit` items. `noun` names them in messages.
    pub(crate) const fn new(limit: usize, noun: &'static str) -> Self {
        Self {
            items: Vec::new(),
            limit,
            noun,
        }
    }

    /// Appends an item.
    ///
    /// # Errors
    ///
    /// Returns a [`BoundedVecError`] if the list is full, or if its memory cannot be reserved.
    pub(crate) fn push(
        &mut self,
        item: T,
        permit: &mut MemoryPermit,
    ) -> Result<(), BoundedVecError> {
        let length = self.items.len();
        if length >= self.limit {
            return Err(BoundedVecError::Full {
                limit: self.limit,
                noun: self.noun,
            });
        }
        if length == self.items.capacity() {
            let capacity = (2 * length).max(4).min(self.limit);
            permit.grow(capacity * size_of::<T>())?;
            self.items.reserve_exact(capacity - length);
        }
        self.items.push(item);
        Ok(())
    }

    /// Returns the items.
    pub(crate) fn into_vec(self) -> Vec<T> {
        self.items
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::memory_budget::MemoryBudget;

    use super::*;

    #[test]
    fn a_list_reserves_what_it_allocates_and_ends_at_its_limit() {
        for limit in [0, 1, 2, 5, 1 << 16] {
            let budget = MemoryBudget::new(3 << 20);
            let mut permit = budget.exact_permit();
            let mut list = BoundedVec::new(limit, "items");
            for item in 0..limit {
                list.push(item, &mut permit).unwrap();
                assert!(budget.reserved() >= list.items.capacity() * size_of::<usize>());
            }
            let error = list.push(0, &mut permit).unwrap_err().to_string();
            assert_eq!(error, format!("more than {limit} items"));
            assert!((0..limit).eq(list.into_vec()));
        }
    }

    #[test]
    fn a_list_does_not_grow_without_a_reservation() {
        let budget = MemoryBudget::new(100);
        let mut permit = budget.exact_permit();
        let mut list = BoundedVec::new(1 << 16, "items");
        let pushed = (0..).map_while(|item: u64| list.push(item, &mut permit).ok());
        assert_eq!(pushed.count(), 8);
        let error = list.push(0, &mut permit).unwrap_err();
        assert!(matches!(error, BoundedVecError::Budget(error) if error.limit == 100));
        assert_eq!(list.items.capacity(), 8);
    }
}
