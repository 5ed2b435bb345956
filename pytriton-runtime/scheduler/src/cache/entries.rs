use std::collections::{BTreeMap, HashMap};

use pytriton_core::request::Response;

use super::CacheKey;

/// Responses up to a total size in bytes. Evicts the least recently used ones.
#[derive(Debug)]
pub(super) struct Entries {
    capacity: usize,
    used: usize,
    /// The bytes of responses that are being copied, and inserted afterwards.
    reserved: usize,
    entries: HashMap<CacheKey, Entry>,
    /// The keys in order of last use.
    order: BTreeMap<u64, CacheKey>,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    response: Response,
    bytes: usize,
    last_used: u64,
}

impl Entries {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            used: 0,
            reserved: 0,
            entries: HashMap::new(),
            order: BTreeMap::new(),
            clock: 0,
        }
    }

    /// Returns the used bytes.
    pub(super) fn used(&self) -> usize {
        self.used
    }

    /// Returns the number of responses.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the key exists.
    pub(super) fn contains(&self, key: &CacheKey) -> bool {
        self.entries.contains_key(key)
    }

    /// Returns the response and makes it the most recently used one.
    pub(super) fn get(&mut self, key: &CacheKey) -> Option<Response> {
        let entry = self.entries.get_mut(key)?;
        self.order.remove(&entry.last_used);
        self.clock += 1;
        entry.last_used = self.clock;
        self.order.insert(self.clock, *key);
        Some(entry.response.clone())
    }

    /// Reserves the memory of a response, and returns those evicted for it. `None` if responses
    /// that are being copied leave too little.
    pub(super) fn reserve(&mut self, bytes: usize) -> Option<Vec<Response>> {
        let rest = self.capacity.checked_sub(self.reserved)?;
        let limit = rest.checked_sub(bytes)?;
        let mut evicted = Vec::new();
        while self.used > limit
            && let Some(response) = self.evict()
        {
            evicted.push(response);
        }
        self.reserved += bytes;
        Some(evicted)
    }

    /// Returns a reservation of this many bytes, if the response is not inserted.
    pub(super) fn release(&mut self, bytes: usize) {
        self.reserved -= bytes;
    }

    /// Inserts a response with a new key, for which `bytes` are [reserved](Self::reserve).
    pub(super) fn insert(&mut self, key: CacheKey, response: Response, bytes: usize) {
        self.release(bytes);
        self.clock += 1;
        self.used += bytes;
        self.order.insert(self.clock, key);
        let entry = Entry {
            response,
            bytes,
            last_used: self.clock,
        };
        self.entries.insert(key, entry);
    }

    fn evict(&mut self) -> Option<Response> {
        let (_, key) = self.order.pop_first()?;
        let entry = self.entries.remove(&key)?;
        self.used -= entry.bytes;
        Some(entry.response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::key::tests::numbered;

    /// A step: an operation on a key, and the keys afterwards.
    enum Step {
        Get(u8),
        Insert(u8, usize),
    }

    #[test]
    fn least_recently_used_responses_are_evicted_first() {
        use Step::{Get, Insert};
        let table: [(Step, &[u8]); 9] = [
            (Insert(1, 40), &[1]),
            (Insert(2, 40), &[1, 2]),
            (Insert(3, 20), &[1, 2, 3]),
            (Get(1), &[1, 2, 3]),
            (Insert(4, 1), &[1, 3, 4]),
            (Get(9), &[1, 3, 4]),
            (Insert(5, 60), &[4, 5]),
            (Insert(6, 100), &[6]),
            (Insert(7, 0), &[6, 7]),
        ];
        let mut entries = Entries::new(100);
        for (index, (step, expected)) in table.into_iter().enumerate() {
            let before = entries.len();
            match step {
                Get(key) => assert_eq!(
                    entries.get(&numbered(key)).is_some(),
                    entries.contains(&numbered(key))
                ),
                Insert(key, bytes) => {
                    let evicted = entries.reserve(bytes).unwrap().len();
                    entries.insert(numbered(key), Response::default(), bytes);
                    assert_eq!(entries.len(), before + 1 - evicted, "{index}");
                }
            }
            let present: Vec<u8> = (0..=9)
                .filter(|key| entries.contains(&numbered(*key)))
                .collect();
            assert_eq!(present, expected, "{index}");
            assert_eq!(entries.order.len(), entries.len(), "{index}");
            let taken: usize = entries.entries.values().map(|entry| entry.bytes).sum();
            assert_eq!(taken, entries.used(), "{index}");
            assert!(taken <= 100, "{index}");
        }
    }

    #[test]
    fn responses_being_copied_are_reserved_and_not_evicted() {
        let mut entries = Entries::new(100);
        assert_eq!(entries.reserve(60).unwrap().len(), 0);
        assert!(entries.reserve(41).is_none());
        assert_eq!(entries.reserve(40).unwrap().len(), 0);
        entries.insert(numbered(1), Response::default(), 60);
        assert!(entries.reserve(61).is_none());
        assert_eq!(entries.reserve(50).unwrap().len(), 1);
        entries.release(40);
        entries.release(50);
        assert!(entries.reserve(101).is_none());
        assert_eq!(entries.reserve(100).unwrap().len(), 0);
        assert_eq!((entries.used(), entries.len()), (0, 0));
    }
}
