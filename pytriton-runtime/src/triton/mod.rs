//! The tritonserver engine: NVIDIA's server as a child process that answers the clients.
//!
//! Pure: [`config_text`] (a model's `config.pbtxt`), [`arguments`] (the server's command line).

mod command;
mod flags;
mod options;
mod pbtxt;
pub mod process;
mod repository;

pub use command::{Endpoints, Launch, UnknownFlag, arguments};
pub use options::{EngineChoice, Flags, TritonOptions};
pub use pbtxt::{ConfigError, config_text};
pub use repository::{WriteError, write_repository};
