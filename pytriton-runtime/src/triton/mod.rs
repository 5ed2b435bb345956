//! The tritonserver engine: NVIDIA's server as a child process that answers the clients.
//!
//! A tritonserver is found ([`Places`]) or fetched ([`install`]), asked what it can ([`Probe`]), given its models
//! ([`write_repository`]) and its command line ([`arguments`]), and looked after ([`process`]). All of it together is the
//! engine. [`write_native`] is for a tritonserver that somebody else starts and that runs the models itself.
//!
//! Pure: [`config_text`] (a model's `config.pbtxt`), [`arguments`], [`Version`].

mod allocation;
mod cache;
mod command;
mod descriptors;
mod drain;
mod engine;
pub mod install;
mod launched;
mod library;
mod locate;
mod pbtxt;
mod pending;
mod probe;
pub mod process;
mod repository;
mod stopping;
mod version;

pub use crate::configuration::BACKEND;
pub use crate::engine::Flags;
pub use command::{Endpoints, Launch, Placeholders, UnknownFlag, arguments};
pub use descriptors::DescriptorError;
pub use engine::{EngineError, TritonEngine};
pub use launched::{LaunchError, Tritonserver};
pub use library::{BackendLibrary, NativeRepository, write_native};
pub use locate::{Found, LocateError, Located, Places};
pub use pbtxt::{ConfigError, config_text};
pub use probe::{Probe, ProbeError, glibc, version};
pub use repository::{WriteError, write_repository};
pub use stopping::{OwnConnections, Stopped};
pub use version::Version;
