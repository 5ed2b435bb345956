//! A running [`Tritonserver`]: start, readiness, shutdown.

mod error;
mod exposure_warning;
mod tritonserver;

pub use error::LaunchError;
pub(super) use tritonserver::PRELOAD;
pub use tritonserver::Tritonserver;
