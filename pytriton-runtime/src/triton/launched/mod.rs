//! A [`Tritonserver`] that runs: started, asked and ended.

mod error;
mod exposure;
mod tritonserver;

pub use error::LaunchError;
pub use tritonserver::Tritonserver;
