//! The embedded engine of `pytriton`: it serves models over HTTP and gRPC in this process. Modules
//! in the order of the request path:
//!
//! - [`PortService`]: the routes of a port, as a service of `pytriton-net`; [`serve`]: serves a
//!   port; [`Router`]: routes for a server of the application.
//! - [`server`]: the ports of a server, start and shutdown.
//! - [`http`], [`grpc`]: the protocol services.
//! - [`service`]: the state, errors and admission that both services share.
//! - [`repository`]: the model repository of loaded models.
//! - [`metrics`]: the statistics of models as Prometheus text; [`trace_extension`]: Triton's trace
//!   extension.
//!
//! # Features
//!
//! - `otel`: exports request spans to a collector.
//! - `fuzzing`: entry points for the fuzz targets of this repository; not public API.

mod access_log;
mod content_type;
mod decompression;
mod extensions;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing;
pub mod grpc;
pub mod http;
pub mod metrics;
mod port_service;
pub mod repository;
mod router;
pub mod server;
pub mod service;
#[cfg(test)]
mod streamed_tests;
#[cfg(test)]
mod testing;
pub mod trace_extension;

pub use axum;
pub use extensions::{Extensions, ReadinessCheck, ReadinessExtension, RouterExtension};
pub use port_service::{PortBody, PortRoutes, PortService, serve};
pub use prometheus_client;
pub use router::Router;
