//! Warm-up: requests that an instance runs before it accepts traffic. Their elements are zeros,
//! random values or read from files.

mod error;
mod file;
#[cfg(all(feature = "embedded", any(test, feature = "fuzzing")))]
pub(crate) mod fuzzing;
mod npy;
mod random;
mod requests;
mod rows;
mod warmup_sink;

pub(crate) use error::WarmupError;
pub(crate) use requests::requests;
pub(crate) use warmup_sink::WarmupSink;
