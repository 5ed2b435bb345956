use std::time::Instant;

use parking_lot::Mutex;
use pytriton_core::request::Response;
use pytriton_core::statistics::nanoseconds;
use pytriton_core::tensor::Tensor;
use pytriton_core::tracked_tensor::TrackedTensor;
use pytriton_core::uncounted::Uncounted;

use super::CacheKey;
use super::entries::Entries;

/// The overhead of a response in addition to its outputs: its key and its entries in the map and
/// the order.
const RESPONSE_BYTES: usize = 256;
/// The overhead of an output in addition to its dims and its elements.
const OUTPUT_BYTES: usize = 128;

/// The response cache of all models that use it.
///
/// # Examples
///
/// ```
/// # use std::sync::Arc;
/// # use pytriton_scheduler::cache::{CacheKey, ResponseCache};
/// # use pytriton_core::request::{Request, Response};
/// # fn example(request: &Request, response: &Response) {
/// let cache = ResponseCache::new(1 << 20);
/// let key = CacheKey::new(request, 0);
/// assert_eq!(cache.lookup(&key).response, None);
/// cache.insert(key, response);
/// assert_eq!(cache.lookup(&key).response.as_ref(), Some(response));
/// # }
/// ```
#[derive(Debug)]
pub struct ResponseCache {
    capacity: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    entries: Entries,
    usage: CacheUsage,
}

/// The result of reserving memory for a response.
enum Reservation {
    /// The memory is reserved.
    Reserved,
    /// The key exists already.
    Known,
    /// The response does not fit.
    Full,
}

/// The result of a lookup.
#[derive(Debug, Clone, PartialEq)]
pub struct Lookup {
    /// The response, if found.
    pub response: Option<Response>,
    /// The duration in nanoseconds.
    pub ns: u64,
}

/// The result of an insertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insertion {
    /// Whether the key existed already, because of an identical concurrent request.
    pub known: bool,
    /// The duration in nanoseconds.
    pub ns: u64,
}

/// The usage of the cache since the server started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheUsage {
    /// The capacity in bytes.
    pub capacity: usize,
    /// The used bytes.
    pub used: usize,
    /// The number of responses.
    pub entries: usize,
    /// The number of lookups that found a response.
    pub hits: u64,
    /// The number of lookups that found no response.
    pub misses: u64,
    /// The number of evicted responses.
    pub evictions: u64,
    /// The total duration of lookups in nanoseconds.
    pub lookup_ns: u64,
    /// The total duration of insertions in nanoseconds.
    pub insertion_ns: u64,
}

impl ResponseCache {
    /// Creates a cache with a capacity in bytes.
    pub fn new(capacity: usize) -> Self {
        let state = State {
            entries: Entries::new(capacity),
            usage: CacheUsage::default(),
        };
        Self {
            capacity,
            state: Mutex::new(state),
        }
    }

    /// Looks up the response to a request.
    pub fn lookup(&self, key: &CacheKey) -> Lookup {
        let begun = Instant::now();
        let mut state = self.state.lock();
        let response = state.entries.get(key);
        let ns = nanoseconds(begun.elapsed());
        match response {
            Some(_) => state.usage.hits += 1,
            None => state.usage.misses += 1,
        }
        state.usage.lookup_ns += ns;
        Lookup { response, ns }
    }

    /// Inserts the response to a request, unless it is larger than the cache, or than what
    /// responses that are being inserted leave of it.
    pub fn insert(&self, key: CacheKey, response: &Response) -> Insertion {
        let begun = Instant::now();
        let bytes = bytes(response);
        let mut known = false;
        match self.reserve(&key, bytes) {
            Reservation::Reserved => {
                let response = detached(response);
                let mut state = self.state.lock();
                known = state.entries.contains(&key);
                match known {
                    true => state.entries.release(bytes),
                    false => state.entries.insert(key, response, bytes),
                }
            }
            Reservation::Known => known = true,
            Reservation::Full => {
                let capacity = self.capacity;
                tracing::debug!(
                    bytes,
                    capacity,
                    "a response does not fit in the response cache"
                );
            }
        }
        let ns = nanoseconds(begun.elapsed());
        self.state.lock().usage.insertion_ns += ns;
        Insertion { known, ns }
    }

    /// Reserves memory for the copy of a response with a new key.
    fn reserve(&self, key: &CacheKey, bytes: usize) -> Reservation {
        let mut state = self.state.lock();
        if state.entries.contains(key) {
            return Reservation::Known;
        }
        let Some(evicted) = state.entries.reserve(bytes) else {
            return Reservation::Full;
        };
        state.usage.evictions += evicted.len() as u64;
        // Memory is freed without the lock, before the response is copied.
        drop(state);
        drop(evicted);
        Reservation::Reserved
    }

    /// Returns the usage of the cache.
    pub fn usage(&self) -> CacheUsage {
        let state = self.state.lock();
        CacheUsage {
            capacity: self.capacity,
            used: state.entries.used(),
            entries: state.entries.len(),
            ..state.usage
        }
    }
}

fn bytes(response: &Response) -> usize {
    let output = |tensor: &Tensor| OUTPUT_BYTES + size_of_val(tensor.shape()) + tensor.data().len();
    let outputs = response.outputs.iter().map(|(_, tensor)| output(tensor));
    RESPONSE_BYTES + response.parameters.bytes() + outputs.sum::<usize>()
}

/// Copies the response into its own memory. An output may be a slice of a batch, which would
/// otherwise be kept as a whole.
fn detached(response: &Response) -> Response {
    let outputs = response.outputs.iter();
    let outputs = outputs.map(|(index, tensor)| {
        let detached = TrackedTensor::uncounted(tensor.detached(), Uncounted::ResponseCache);
        (*index, detached)
    });
    Response {
        parameters: response.parameters.clone(),
        ..Response::new(outputs.collect())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use pytriton_core::request::ParameterValue;
    use pytriton_core::tensor::DataType;

    use crate::cache::key::tests::numbered;

    use super::*;

    fn response(data: Bytes) -> Response {
        let tensor = Tensor::new(DataType::Uint8, vec![data.len()], data).unwrap();
        Response::new(vec![(0, tensor.into())].into())
    }

    #[test]
    fn stored_responses_are_found() {
        let cache = ResponseCache::new(10_000);
        let one = response(Bytes::from_static(b"one"));
        assert_eq!(cache.lookup(&numbered(1)).response, None);
        assert!(!cache.insert(numbered(1), &one).known);
        assert!(cache.insert(numbered(1), &one).known);
        assert_eq!(cache.lookup(&numbered(1)).response, Some(one));
        assert_eq!(cache.lookup(&numbered(2)).response, None);
        let usage = cache.usage();
        assert_eq!((usage.entries, usage.hits, usage.misses), (1, 1, 2));
        assert_eq!((usage.capacity, usage.evictions), (10_000, 0));
    }

    #[test]
    fn response_parameters_are_stored_and_counted() {
        let cache = ResponseCache::new(10_000);
        let mut one = response(Bytes::from_static(b"one"));
        cache.insert(numbered(1), &one);
        let without = cache.usage().used;
        let value = ParameterValue::String("x".repeat(1000));
        one.parameters.insert("said", value);
        cache.insert(numbered(2), &one);
        assert!(cache.usage().used > 2 * without + 1000);
        assert_eq!(cache.lookup(&numbered(2)).response, Some(one));
    }

    #[test]
    fn cache_stays_within_its_size() {
        let cache = ResponseCache::new(10_000);
        for key in 0..50 {
            let data = Bytes::from(vec![key; 20 * usize::from(key)]);
            cache.insert(numbered(key), &response(data));
            let usage = cache.usage();
            assert!(usage.used <= usage.capacity, "{usage:?}");
            assert_eq!(usage.entries as u64 + usage.evictions, u64::from(key) + 1);
        }
        let before = cache.usage();
        let large = response(Bytes::from(vec![0; 10_000]));
        assert!(!cache.insert(numbered(99), &large).known);
        assert_eq!(cache.lookup(&numbered(99)).response, None);
        assert_eq!(cache.usage().used, before.used);
        assert_eq!(cache.usage().evictions, before.evictions);
    }

    #[test]
    fn cached_row_does_not_keep_its_batch() {
        let cache = ResponseCache::new(10_000);
        let batch = Bytes::from(vec![7; 1 << 20]);
        cache.insert(numbered(1), &response(batch.slice(5..8)));
        assert!(batch.is_unique());
        let cached = cache.lookup(&numbered(1)).response.unwrap();
        assert_eq!(cached.outputs[0].1.data(), &[7; 3][..]);
    }

    #[test]
    fn copies_are_counted_before_they_are_allocated() {
        let cache = ResponseCache::new(10_000);
        let large = response(Bytes::from(vec![7; 6000]));
        let bytes = bytes(&large);
        // Another thread copies its response.
        assert!(matches!(
            cache.reserve(&numbered(1), bytes),
            Reservation::Reserved
        ));
        assert!(!cache.insert(numbered(2), &large).known);
        assert_eq!(cache.lookup(&numbered(2)).response, None);
        let small = response(Bytes::from_static(b"one"));
        assert!(!cache.insert(numbered(3), &small).known);
        cache
            .state
            .lock()
            .entries
            .insert(numbered(1), large.clone(), bytes);
        assert_eq!(cache.lookup(&numbered(3)).response, Some(small));
        assert!(matches!(
            cache.reserve(&numbered(1), bytes),
            Reservation::Known
        ));
        assert!(!cache.insert(numbered(2), &large).known);
        assert_eq!(cache.lookup(&numbered(2)).response, Some(large));
        assert_eq!(cache.usage().evictions, 1);
    }
}
