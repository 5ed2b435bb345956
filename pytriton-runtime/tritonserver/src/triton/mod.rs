//! The tritonserver engine: NVIDIA's server runs as a child process and serves the clients.
//!
//! The engine finds ([`SearchPaths`]) or downloads ([`install`]) a tritonserver and probes its
//! capabilities ([`Probe`]). It writes the models ([`write_repository`]) and the command line
//! ([`arguments`]), and supervises the process ([`process`]). [`write_native`] prepares models for
//! a tritonserver that is started elsewhere and runs them itself.
//!
//! These parts are pure: [`config_text`] (a model's `config.pbtxt`), [`arguments`], [`Version`].

mod allocation;
mod cache;
mod command;
mod descriptors;
mod drain;
mod engine;
pub mod install;
mod launch;
mod library;
mod locate;
mod pbtxt;
mod pending;
mod probe;
pub mod process;
mod repository;
mod stopping;
mod version;

pub use command::{Endpoints, Launch, Placeholders, UnknownFlag, arguments};
pub use descriptors::DescriptorError;
pub use engine::{EngineError, TritonEngine};
pub use launch::{LaunchError, Tritonserver};
pub use library::{BackendLibrary, NativeRepository, write_native};
pub use locate::{Found, LocateError, Located, SearchPaths};
pub use pbtxt::{ConfigError, config_text};
pub use probe::{Probe, ProbeError, glibc, program_output, version};
pub use pytriton_engine::flags::Flags;
pub use pytriton_kserve::configuration::BACKEND;
pub use repository::{WriteError, write_repository};
pub use stopping::{OwnConnections, Stopped};
pub use version::Version;
