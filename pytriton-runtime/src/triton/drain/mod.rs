//! The orderly end of a tritonserver: its connections are closed one by one, each when nothing is under way on it.
//!
//! Left to itself tritonserver 2.51 waits for its clients to close their connections, or breaks them off. From outside
//! nobody sees what is under way in it: a tensor that is written as JSON for seconds is in no queue and in no batch. But
//! it does say so, connection by connection:
//!
//! - HTTP: it does not read from a connection as long as a request of that connection is being answered, and closes one
//!   that is at its end. So the side from which it reads is shut down ([`Connection::judge`] says when), and it
//!   closes the connection itself once the answer is written.
//! - gRPC: a client that is told to go away (HTTP/2's `GOAWAY`) asks for nothing more on that connection, and closes it
//!   when its last call is answered.
//!
//! When the last connection is gone, every request that was accepted has its answer. One over gRPC whose client has closed it
//! counts as gone although tritonserver keeps it open: 2.51 forgets a call that is taken back as it is answered, and never
//! lets go of the descriptor. The descriptors that this takes are lent by our backend ([`Lender`](super::process::Lender)).

mod connection;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod drain;
mod effort;
mod goaway;
mod hold;
mod sockets;
mod tcp;

pub(super) use drain::{Drain, Left, Places};
pub(super) use hold::Hold;
