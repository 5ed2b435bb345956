use std::collections::HashMap;

use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use serde_json::{Map, Value};

/// The memory of a table in addition to its entries.
const TABLE_BYTES: usize = 64;

/// A collection that [`Bounded`](super::Bounded) can fill.
pub(crate) trait Collection: Default {
    /// An item, with its name if the collection is one of names.
    type Item;

    /// Returns the number of items.
    fn length(&self) -> usize;

    /// Returns whether `item` replaces an item instead of being one more.
    fn replaces(&self, item: &Self::Item) -> bool;

    /// Adds an item.
    fn add(&mut self, item: Self::Item);
}

/// A collection whose growth is known, so that its memory can be reserved first.
pub(crate) trait ReservingCollection: Collection {
    /// Reserves memory for one more item and allocates it, if the collection is full. Its
    /// capacity never exceeds `most`.
    ///
    /// # Errors
    ///
    /// Returns [`MemoryBudgetError`] if the memory cannot be reserved.
    fn make_room(
        &mut self,
        most: usize,
        permit: &mut MemoryPermit,
    ) -> Result<(), MemoryBudgetError>;
}

impl<T> Collection for Vec<T> {
    type Item = T;

    #[inline]
    fn length(&self) -> usize {
        self.len()
    }

    #[inline]
    fn replaces(&self, _: &T) -> bool {
        false
    }

    #[inline]
    fn add(&mut self, item: T) {
        self.push(item);
    }
}

impl<T> ReservingCollection for Vec<T> {
    #[inline]
    fn make_room(
        &mut self,
        most: usize,
        permit: &mut MemoryPermit,
    ) -> Result<(), MemoryBudgetError> {
        if self.len() < self.capacity() {
            return Ok(());
        }
        grow(self, most, permit)
    }
}

/// Doubles the capacity of a list.
#[cold]
fn grow<T>(
    list: &mut Vec<T>,
    most: usize,
    permit: &mut MemoryPermit,
) -> Result<(), MemoryBudgetError> {
    let length = list.len();
    let capacity = (2 * length).max(4).min(most);
    permit.grow(capacity * size_of::<T>())?;
    list.reserve_exact(capacity - length);
    Ok(())
}

impl<V> Collection for HashMap<String, V> {
    type Item = (String, V);

    fn length(&self) -> usize {
        self.len()
    }

    fn replaces(&self, (name, _): &(String, V)) -> bool {
        self.contains_key(name)
    }

    fn add(&mut self, (name, value): (String, V)) {
        self.insert(name, value);
    }
}

/// The memory of the names is reserved by the parser.
impl<V> ReservingCollection for HashMap<String, V> {
    fn make_room(&mut self, _: usize, permit: &mut MemoryPermit) -> Result<(), MemoryBudgetError> {
        let length = self.len();
        if length == self.capacity() {
            let capacity = (2 * length).max(3);
            permit.grow(table_bytes::<V>(capacity))?;
            self.reserve(capacity - length);
        }
        Ok(())
    }
}

impl Collection for Map<String, Value> {
    type Item = (String, Value);

    fn length(&self) -> usize {
        self.len()
    }

    fn replaces(&self, (name, _): &(String, Value)) -> bool {
        self.contains_key(name)
    }

    fn add(&mut self, (name, value): (String, Value)) {
        self.insert(name, value);
    }
}

/// Returns the maximum memory of a table for this number of values: an eighth of it is free, its
/// size is a power of two, and each place has one more byte.
pub(super) fn table_bytes<V>(capacity: usize) -> usize {
    let places = match capacity {
        0..=7 => 8,
        _ => (capacity * 8 / 7).next_power_of_two(),
    };
    places * (size_of::<(String, V)>() + 1) + TABLE_BYTES
}
