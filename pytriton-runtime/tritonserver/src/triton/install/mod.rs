//! `install`: fetches tritonserver from the PyPI wheel of NVIDIA PyTriton into the cache.

mod download;
mod error;
mod installation;
mod progress;
mod unpack;
mod verify;

pub use super::cache::VERSION;
pub use error::InstallError;
pub use installation::{Installed, install, install_to};
