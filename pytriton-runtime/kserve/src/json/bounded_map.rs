use std::collections::HashMap;

use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};

use super::BoundedVecError;

/// The memory of a table in addition to its entries.
const TABLE_BYTES: usize = 64;

/// Parsed values by name. It has at most `limit` of them, and the memory of its table is reserved
/// before it grows. The memory of the names is reserved by the parser.
#[derive(Debug)]
pub(crate) struct BoundedMap<V> {
    values: HashMap<String, V>,
    limit: usize,
    noun: &'static str,
}

impl<V> BoundedMap<V> {
    /// Creates an empty map of at most `limit` values. `noun` names them in messages.
    pub(crate) fn new(limit: usize, noun: &'static str) -> Self {
        Self {
            values: HashMap::new(),
            limit,
            noun,
        }
    }

    /// Inserts a value, which replaces one with this name.
    ///
    /// # Errors
    ///
    /// Returns a [`BoundedVecError`] if the map is full, or if its memory cannot be reserved.
    pub(crate) fn insert(
        &mut self,
        name: String,
        value: V,
        permit: &mut MemoryPermit,
    ) -> Result<(), BoundedVecError> {
        let length = self.values.len();
        if length >= self.limit && !self.values.contains_key(&name) {
            return Err(BoundedVecError::Full {
                limit: self.limit,
                noun: self.noun,
            });
        }
        if length == self.values.capacity() {
            let capacity = (2 * length).max(3);
            permit.grow(Self::table_bytes(capacity))?;
            self.values.reserve(capacity - length);
        }
        self.values.insert(name, value);
        Ok(())
    }

    /// Returns whether there is a value with this name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Returns the value with this name.
    pub(crate) fn get(&self, name: &str) -> Option<&V> {
        self.values.get(name)
    }

    /// Removes the value with this name.
    pub(crate) fn remove(&mut self, name: &str) -> Option<V> {
        self.values.remove(name)
    }

    /// Removes the values that `keep` returns `false` for.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&V) -> bool) {
        self.values.retain(|_, value| keep(value));
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
        permit.grow(self.values.len() * size_of::<(String, V)>())?;
        let mut sorted: Vec<_> = self.values.into_iter().collect();
        sorted.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        Ok(sorted)
    }

    /// Returns the maximum memory of a table for this number of values: an eighth of it is free,
    /// its size is a power of two, and each place has one more byte.
    fn table_bytes(capacity: usize) -> usize {
        let places = match capacity {
            0..=7 => 8,
            _ => (capacity * 8 / 7).next_power_of_two(),
        };
        places * (size_of::<(String, V)>() + 1) + TABLE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::memory_budget::MemoryBudget;

    use super::*;

    #[test]
    fn a_map_reserves_what_it_allocates_and_ends_at_its_limit() {
        for limit in [0, 1, 3, 4, 1000] {
            let budget = MemoryBudget::new(1 << 20);
            let mut permit = budget.exact_permit();
            let mut map = BoundedMap::new(limit, "members");
            for value in 0..limit {
                let name = format!("{value:04}");
                map.insert(name, value, &mut permit).unwrap();
                let table = BoundedMap::<usize>::table_bytes(map.values.capacity());
                assert!(budget.reserved() >= table, "{value}");
            }
            let full = map.insert("one more".to_owned(), 0, &mut permit);
            let full = full.unwrap_err().to_string();
            assert_eq!(full, format!("more than {limit} members"));
            for value in 0..limit {
                let name = format!("{value:04}");
                assert_eq!(map.get(&name), Some(&value));
                map.insert(name, value, &mut permit).unwrap();
            }
            map.retain(|value| value % 2 == 0);
            assert_eq!(map.remove("0000"), (limit > 0).then_some(0));
            let sorted = map.into_sorted(&mut permit).unwrap().into_iter();
            let even = (2..limit).filter(|value| value % 2 == 0);
            assert!(sorted.map(|(_, value)| value).eq(even));
        }
    }

    #[test]
    fn a_map_does_not_grow_without_a_reservation() {
        let budget = MemoryBudget::new(1000);
        let mut permit = budget.exact_permit();
        let mut map = BoundedMap::new(1 << 16, "members");
        let mut insert = |number: usize| map.insert(number.to_string(), number, &mut permit);
        let inserted = (0..).take_while(|number| insert(*number).is_ok()).count();
        assert!((3..28).contains(&inserted), "{inserted}");
        assert!(matches!(insert(99), Err(BoundedVecError::Budget(_))));
        assert_eq!(map.values.len(), inserted);
    }
}
