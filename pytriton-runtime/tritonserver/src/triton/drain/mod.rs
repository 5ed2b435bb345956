//! Graceful shutdown of a tritonserver: each connection is closed when nothing is in flight on it.
//!
//! On its own, tritonserver 2.51 waits for its clients to close their connections, or breaks them
//! off. From outside, work in progress is not visible: a tensor that is written as JSON for seconds
//! is in no queue and in no batch. But each connection reveals its state:
//!
//! - HTTP: the server does not read from a connection while it processes a request of that
//!   connection, and closes a connection at end of file. So the reading side is shut down
//!   ([`next_step`](connection::Connection::next_step) decides when), and the server closes the
//!   connection after the response is written.
//! - gRPC: a client that receives `GOAWAY` sends no more requests on the connection, and closes it
//!   after the last response.
//!
//! When the last connection is gone, every accepted request has been completed. A gRPC connection
//! that its client has closed counts as gone although tritonserver keeps it open. When a call is
//! cancelled during its response, 2.51 leaks the descriptor. Our backend passes the descriptors for
//! this ([`FdChannel`](super::process::FdChannel)).

mod connection;
mod cpu_usage;
#[expect(
    clippy::module_inception,
    reason = "the module is named after its main type"
)]
mod drain;
mod goaway;
mod held_connection;
mod sockets;
mod tcp;

pub(super) use drain::{Drain, DrainEndpoints, OpenConnections};
pub(super) use held_connection::HeldConnection;
