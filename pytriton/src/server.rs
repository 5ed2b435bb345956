//! The server of [`Triton`] and [`Cli`]: its builder, its ports and the arguments of hooks.

#[cfg(doc)]
use crate::{Cli, Triton};

pub use pytriton_runtime::port::Port;
#[cfg(feature = "embedded")]
pub use pytriton_runtime::server::Router;
pub use pytriton_runtime::server::{Addresses, App, Builder, PortAddress};
