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
//!
//! # Features
//!
//! - `server`: the server, on by default. Without it, the limits and [`tls`] remain: certificates
//!   can be checked for a server of another process.

mod allowed_hosts;
mod connection_limits;
#[cfg(feature = "server")]
mod server;
pub mod tls;

pub use allowed_hosts::AllowedHosts;
pub use connection_limits::ConnectionLimits;
pub use pytriton_core::memory_budget::{MemoryBudget, MemoryBudgetError};
#[cfg(feature = "server")]
pub use server::{
    BodyError, BodyTimeout, BoundPort, Connections, Ending, Endpoint, HostCheck, HttpService,
    MinRate, Protocol, ReceiveWindows, Refusal, RequestBody, ResponseContent, TowerService,
    check_head,
};

#[cfg(all(doctest, feature = "server"))]
#[doc = include_str!("../README.md")]
struct Readme;
