//! What an instance is called with before it takes requests: the requests of a warm-up, made of zeros, of random elements or
//! of files.

mod error;
mod file;
#[cfg(all(feature = "embedded", any(test, feature = "fuzzing")))]
pub(crate) mod fuzzing;
mod heard;
mod npy;
mod random;
mod requests;
mod rows;

pub(crate) use error::WarmupError;
pub(crate) use heard::Heard;
pub(crate) use requests::requests;
