//! The tritonserver engine: NVIDIA's server as a child process that answers the clients.
//!
//! A tritonserver is found ([`Places`]) or fetched ([`install`]), asked what it can ([`Probe`]), given its models
//! ([`write_repository`]) and its command line ([`arguments`]), and looked after ([`process`]). All of it together is the
//! engine, on Linux. [`write_native`] is for a tritonserver that somebody else starts and that runs the models itself.
//!
//! Pure: [`config_text`] (a model's `config.pbtxt`), [`arguments`], [`Version`].

mod allocation;
mod cache;
mod choice;
mod command;
#[cfg(target_os = "linux")]
mod engine;
mod flags;
pub mod install;
mod launch;
mod library;
mod locate;
mod options;
mod pbtxt;
mod probe;
pub mod process;
mod repository;
mod version;

pub use choice::{Choice, ChoiceError};
pub use command::{Endpoints, Launch, UnknownFlag, arguments};
#[cfg(target_os = "linux")]
pub use engine::{EngineError, TritonEngine};
pub use launch::{LaunchError, Tritonserver};
pub use library::{BackendLibrary, NativeRepository, write_native};
pub use locate::{Found, LocateError, Located, Places};
pub use options::{EngineChoice, Flags, TritonOptions};
pub use pbtxt::{BACKEND, ConfigError, config_text};
pub use probe::{Probe, ProbeError, glibc, version};
pub use repository::{WriteError, write_repository};
pub use version::Version;
