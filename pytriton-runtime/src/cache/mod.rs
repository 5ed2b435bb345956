//! Triton's response cache: a request that was answered before gets the same response, without a call of its model.
//!
//! Requests are the same when their [`CacheKey`]s are. A [`ResponseCache`] keeps responses up to a number of bytes, and
//! forgets those first that nobody has asked for the longest. Pure but for a lock and a clock.
//!
//! Source: `TritonCache` and `DynamicBatchScheduler` in Triton 2.51, and the `local` cache that comes with it.

#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod cache;
mod config;
mod entries;
mod key;

pub use cache::{CacheUsage, Insertion, Lookup, ResponseCache};
pub use config::{CacheConfigError, cache_bytes};
pub use key::CacheKey;
