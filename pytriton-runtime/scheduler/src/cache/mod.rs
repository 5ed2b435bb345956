//! Triton's response cache: a repeated request receives the same response without a call of its
//! model.
//!
//! Requests are identical if their [`CacheKey`]s are. A [`ResponseCache`] stores responses up to a
//! total size and evicts the least recently used ones. Pure, except for a lock and a clock.
//!
//! Source: `TritonCache` and `DynamicBatchScheduler` in Triton 2.51, and its `local` cache.

#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod cache;
mod config;
mod entries;
mod key;

pub use cache::{CacheUsage, Insertion, Lookup, ResponseCache};
pub use config::{CacheConfigError, cache_bytes};
pub use key::CacheKey;
