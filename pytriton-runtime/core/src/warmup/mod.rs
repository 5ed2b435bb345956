//! Warm-up: requests that an instance runs before it accepts traffic. Their elements are zeros,
//! random values or read from files.

mod error;
mod file;
#[doc(hidden)]
pub mod fuzzing;
mod npy;
mod random;
mod requests;
mod rows;
mod warmup_sink;

pub use error::WarmupError;
pub use requests::requests;
pub use warmup_sink::WarmupSink;
