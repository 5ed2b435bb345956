use std::collections::HashMap;

use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};

use super::collection::{Collection, ReservingCollection};
use super::{CollectionError, Full, Limit};

/// A collection that a parser fills. It has at most as many items as its limit, and its memory is
/// reserved before it grows.
///
/// No parser of this crate adds items to another collection, so that the number of items in a text
/// is limited in one place. Depth is limited by [`Flat`](super::Flat) and by serde.
#[derive(Debug)]
pub(crate) struct Bounded<C> {
    items: C,
    limit: Limit,
}

impl<C: Collection> Bounded<C> {
    /// Creates an empty collection.
    #[inline]
    pub(crate) fn new(limit: Limit) -> Self {
        let items = C::default();
        Self { items, limit }
    }

    /// Adds an item whose memory is reserved already.
    ///
    /// # Errors
    ///
    /// Returns [`Full`] if the collection has as many items as it may have.
    pub(crate) fn push_reserved(&mut self, item: C::Item) -> Result<(), Full> {
        self.check(&item)?;
        self.items.add(item);
        Ok(())
    }

    /// Returns the items.
    #[inline]
    pub(crate) fn into_items(self) -> C {
        self.items
    }

    #[inline]
    fn check(&self, item: &C::Item) -> Result<(), Full> {
        match self.limit.check(self.items.length()) {
            Err(_) if self.items.replaces(item) => Ok(()),
            checked => checked,
        }
    }
}

impl<C: ReservingCollection> Bounded<C> {
    /// Adds an item.
    ///
    /// # Errors
    ///
    /// Returns a [`CollectionError`] if the collection is full, or if its memory cannot be
    /// reserved.
    #[inline]
    pub(crate) fn push(
        &mut self,
        item: C::Item,
        permit: &mut MemoryPermit,
    ) -> Result<(), CollectionError> {
        self.check(&item)?;
        self.items.make_room(self.limit.items, permit)?;
        self.items.add(item);
        Ok(())
    }
}

impl<T> Bounded<Vec<T>> {
    /// Creates an empty list with memory for `capacity` items, but for no more than its limit.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if its memory cannot be reserved.
    #[inline]
    pub(crate) fn with_capacity(
        limit: Limit,
        capacity: usize,
        permit: &mut MemoryPermit,
    ) -> Result<Self, MemoryBudgetError> {
        let capacity = capacity.min(limit.items);
        permit.grow(capacity.saturating_mul(size_of::<T>()))?;
        let items = Vec::with_capacity(capacity);
        Ok(Self { items, limit })
    }
}

/// Values by name.
impl<V> Bounded<HashMap<String, V>> {
    /// Returns whether there is a value with this name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.items.contains_key(name)
    }

    /// Returns the value with this name.
    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        self.items.get(name)
    }

    /// Removes the value with this name.
    pub(crate) fn remove(&mut self, name: &str) -> Option<V> {
        self.items.remove(name)
    }

    /// Removes the values that `keep` returns `false` for.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&V) -> bool) {
        self.items.retain(|_, value| keep(value));
    }

    /// Returns the values, sorted by name.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the memory of the list cannot be reserved.
    pub(crate) fn into_sorted(
        self,
        permit: &mut MemoryPermit,
    ) -> Result<Vec<(String, V)>, MemoryBudgetError> {
        permit.grow(self.items.len() * size_of::<(String, V)>())?;
        let mut sorted: Vec<_> = self.items.into_iter().collect();
        sorted.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(sorted)
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::memory_budget::MemoryBudget;
    use serde_json::{Map, Value};

    use super::super::collection::table_bytes;
    use super::*;

    type Table = Bounded<HashMap<String, usize>>;

    #[test]
    fn a_list_reserves_what_it_allocates_and_ends_at_its_limit() {
        for limit in [0, 1, 2, 5, 1 << 16] {
            let budget = MemoryBudget::new(3 << 20);
            let mut permit = budget.exact_permit();
            let mut list = Bounded::<Vec<usize>>::new(Limit::new(limit, "items"));
            for item in 0..limit {
                list.push(item, &mut permit).unwrap();
                assert!(budget.reserved() >= list.items.capacity() * size_of::<usize>());
            }
            let error = list.push(0, &mut permit).unwrap_err().to_string();
            assert_eq!(error, format!("more than {limit} items"));
            assert!((0..limit).eq(list.into_items()));
        }
    }

    #[test]
    fn room_for_items_is_reserved_up_to_the_limit() {
        let budget = MemoryBudget::new(100);
        for (capacity, room) in [
            (0, Some(0)),
            (3, Some(3)),
            (9, Some(8)),
            (usize::MAX, Some(8)),
        ] {
            let mut permit = budget.exact_permit();
            let limit = Limit::new(8, "items");
            let list = Bounded::<Vec<u64>>::with_capacity(limit, capacity, &mut permit);
            assert_eq!(
                list.ok().map(|list| list.items.capacity()),
                room,
                "{capacity}"
            );
            assert_eq!(Some(budget.reserved() / 8), room, "{capacity}");
        }
        let mut permit = budget.exact_permit();
        let list = Bounded::<Vec<u64>>::with_capacity(Limit::of("items"), 13, &mut permit);
        assert_eq!(list.map(|_| ()).unwrap_err().limit, 100);
    }

    #[test]
    fn a_list_does_not_grow_without_a_reservation() {
        let budget = MemoryBudget::new(100);
        let mut permit = budget.exact_permit();
        let mut list = Bounded::<Vec<u64>>::new(Limit::of("items"));
        let pushed = (0..).map_while(|item| list.push(item, &mut permit).ok());
        assert_eq!(pushed.count(), 8);
        let error = list.push(0, &mut permit).unwrap_err();
        assert!(matches!(error, CollectionError::Budget(error) if error.limit == 100));
        assert_eq!(list.items.capacity(), 8);
    }

    #[test]
    fn a_table_reserves_what_it_allocates_and_ends_at_its_limit() {
        for limit in [0, 1, 3, 4, 1000] {
            let budget = MemoryBudget::new(1 << 20);
            let mut permit = budget.exact_permit();
            let mut table = Table::new(Limit::new(limit, "members"));
            for value in 0..limit {
                table
                    .push((format!("{value:04}"), value), &mut permit)
                    .unwrap();
                let bytes = table_bytes::<usize>(table.items.capacity());
                assert!(budget.reserved() >= bytes, "{value}");
            }
            let full = table.push(("one more".to_owned(), 0), &mut permit);
            let full = full.unwrap_err().to_string();
            assert_eq!(full, format!("more than {limit} members"));
            for value in 0..limit {
                let name = format!("{value:04}");
                assert_eq!(table.get(&name), Some(&value));
                table.push((name, value), &mut permit).unwrap();
            }
            table.retain(|value| value % 2 == 0);
            assert_eq!(table.remove("0000"), (limit > 0).then_some(0));
            assert!(!table.contains("0000"));
            let sorted = table.into_sorted(&mut permit).unwrap().into_iter();
            let even = (2..limit).filter(|value| value % 2 == 0);
            assert!(sorted.map(|(_, value)| value).eq(even));
        }
    }

    #[test]
    fn a_table_does_not_grow_without_a_reservation() {
        let budget = MemoryBudget::new(1000);
        let mut permit = budget.exact_permit();
        let mut table = Table::new(Limit::of("members"));
        let mut push = |number: usize| table.push((number.to_string(), number), &mut permit);
        let pushed = (0..).take_while(|number| push(*number).is_ok()).count();
        assert!((3..28).contains(&pushed), "{pushed}");
        assert!(matches!(push(99), Err(CollectionError::Budget(_))));
        assert_eq!(table.items.len(), pushed);
    }

    #[test]
    fn items_whose_memory_is_reserved_have_the_same_limit() {
        let mut object = Bounded::<Map<String, Value>>::new(Limit::new(2, "members"));
        for name in ["a", "b", "a"] {
            object
                .push_reserved((name.to_owned(), Value::Null))
                .unwrap();
        }
        let full = object.push_reserved(("c".to_owned(), Value::Null));
        assert_eq!(full, Err(Full(Limit::new(2, "members"))));
        assert_eq!(object.into_items().len(), 2);
    }
}
