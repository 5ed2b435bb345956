//! Prometheus metrics under Triton's names: statistics to text. Pure but for a look at `/proc`.

mod cache;
mod family;
mod models;
mod system;

pub use cache::cache_exposition;
pub use models::exposition;
pub use system::System;
