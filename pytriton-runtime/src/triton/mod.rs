//! The tritonserver engine: NVIDIA's server as a child process that answers the clients.
//!
//! Pure: [`config_text`] (a model's `config.pbtxt`).

mod pbtxt;
mod repository;

pub use pbtxt::{ConfigError, config_text};
pub use repository::{WriteError, write_repository};
