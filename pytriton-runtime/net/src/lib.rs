//! A hardened server for HTTP/1.1 and HTTP/2 around any service.
//!
//! An [`Endpoint`] accepts the connections of a port and passes their requests to an
//! [`HttpService`]; [`TowerService`] makes one of any tower service. The endpoint enforces
//! [`ConnectionLimits`]: connections, streams, sizes of heads, timeouts, and the minimum rate at
//! which clients send and read. [`ReceiveWindows`] bound the memory of HTTP/2, [`HostCheck`]
//! refuses host names that a web page has rebound, and [`tls`] serves certificates that are
//! reloaded when their files change.
//!
//! At its connection limit, an endpoint replaces idle connections and still serves health
//! requests. When it stops, it completes the requests that have arrived, until a deadline.

mod acceptor;
mod allowed_hosts;
mod body_error;
mod body_pace;
mod body_timeout;
mod bound_port;
mod connection;
mod connection_limit;
mod connection_limits;
mod connection_state;
#[cfg(test)]
mod connection_state_tests;
mod coop_poll;
mod endpoint;
#[cfg(test)]
mod half_closed_tests;
mod handshake;
mod head;
mod health_only_connections;
mod host_check;
mod http2_preface;
#[cfg(test)]
mod http2_tests;
mod http_builders;
mod min_rate;
mod port;
mod protocol;
mod receive_windows;
#[cfg(test)]
mod receive_windows_tests;
mod refusal;
mod request_body;
mod response_body;
mod service;
#[cfg(test)]
mod slow_head_tests;
#[cfg(test)]
mod slow_reader_tests;
mod socket_options;
mod stream;
mod stream_handle;
mod stream_state;
pub mod tls;
mod tower;
#[cfg(test)]
mod tower_tests;
mod tracked_bytes;
mod tracked_io;
#[cfg(test)]
mod tracked_io_tests;
#[cfg(test)]
mod unsent_tests;

pub use allowed_hosts::AllowedHosts;
pub use body_error::BodyError;
pub use body_timeout::BodyTimeout;
pub use bound_port::BoundPort;
pub use connection::{Connections, Ending};
pub use connection_limits::ConnectionLimits;
pub use endpoint::Endpoint;
pub use head::check_head;
pub use host_check::HostCheck;
pub use min_rate::MinRate;
pub use protocol::Protocol;
pub use pytriton_core::memory_budget::{MemoryBudget, MemoryBudgetError};
pub use receive_windows::ReceiveWindows;
pub use refusal::Refusal;
pub use request_body::RequestBody;
pub use service::{HttpService, ResponseContent};
pub use tower::TowerService;

#[doc = include_str!("../README.md")]
#[cfg(doctest)]
struct Readme;
