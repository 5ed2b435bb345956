//! The common parts of the engines of `pytriton`: options, access control, certificates, ports and
//! logs. The crate starts no engine and serves no port.
//!
//! - [`options`]: the options of a server, and those that an engine cannot honour; [`settings`]:
//!   their sources, such as the configuration file; [`flags`]: tritonserver's flags; [`Limits`]:
//!   the limits of a server; [`HeaderForward`]: headers that become request parameters;
//!   [`Arguments`]: options as arguments of a command line.
//! - [`access`]: groups of routes that can be restricted, and the secrets that open them.
//! - [`port`]: the ports of a server; [`Addresses`]: where they listen; [`tls`]: the certificates
//!   of the ports.
//! - [`logging`]: the log of the process; [`trace`]: the export of spans.
//! - [`loaded_models`]: the models of this process that a tritonserver serves; [`side_channel`]:
//!   responses that bypass it; [`RunningTritonserver`]: both, for the ports next to it.
//!
//! # Features
//!
//! - `otel`: exports request spans to a collector.
//! - `fuzzing`: entry points for the fuzz targets of this repository; not public API.

pub mod access;
mod addresses;
mod arguments;
pub mod flags;
mod forward;
mod limits;
pub mod loaded_models;
pub mod logging;
pub mod options;
pub mod port;
mod running_tritonserver;
pub mod settings;
pub mod side_channel;
pub mod tls;
pub mod trace;

pub use addresses::{Addresses, PortAddress};
pub use arguments::Arguments;
pub use forward::{HeaderForward, PatternError};
pub use limits::Limits;
pub use running_tritonserver::RunningTritonserver;
