//! The Triton backend of pytriton, and the channel to the process that runs the models.
//!
//! tritonserver loads this crate as a shared library, which the user's binary contains
//! ([`LIBRARY`]). The same crate is linked into the binary, so both ends of the channel are built
//! from the same code.
//!
//! # Modules
//!
//! - `ffi`: Triton's C API: entry points, batches, responses, statistics.
//! - `gather`: the layout of a batch in memory.
//! - `protocol`: messages, and the descriptions of batches and responses. Pure.
//! - `ring`: message queues between processes, and waiting on them.
//! - `arena`: allocation of ranges. Pure.
//! - `shm`: shared memory segments, futexes, descriptors over sockets, and the thread that watches
//!   the sockets.
//! - `session`: the handshake and the two ends of the rings.
//! - `proxy`: moves batches from Triton into a session and their responses back.
//! - `readiness`: the readiness of models, also for servers that do not query it.
//!
//! # Features
//!
//! - `fuzzing`: entry points for the fuzz targets of this repository; not public API.
//!
//! # Protocol
//!
//! The worker listens on a Unix socket in a folder that only its user can enter. Each instance in
//! tritonserver connects, and sends the protocol version, a token and its model. The worker checks
//! user and token. It returns the names of the tensors, the number of batches that may be in
//! flight, and the descriptor of two rings. From then on the socket carries descriptors of new
//! segments, and its end of file signals that the other process is gone.
//!
//! The instance writes the description of a batch and its tensors into a region of its arena. The
//! rows of all requests are contiguous per input. Then it sends a message through the downward
//! ring. The worker copies and validates the description, and runs the function on the tensors in
//! place. It writes descriptions and tensors of the responses into a region of its own arena, and
//! sends one message per response through the upward ring. A message carries the batch's number,
//! the request's position, a sequence number, and whether it is the last of the request. Messages
//! can flow in both directions at any time; for example a cancellation is sent while its batch
//! waits.
//!
//! A request of a decoupled model has any number of responses, which are sent immediately, and an
//! end without a description. For the end, tritonserver receives only flags; no response but an
//! error is marked as final. The function waits while the upward ring is full, or while 256 MiB of
//! responses are in flight on the session. So it cannot run ahead of tritonserver, although
//! tritonserver may buffer any amount for a slow client. Every 20 ms, and with every response, the
//! backend checks for cancellation and notifies the worker.
//!
//! # Memory ownership
//!
//! A region belongs to the arena of the process that allocates it. That process writes it before it
//! hands it over. The other process reads it until it releases it. A response is released with its
//! slot in the ring, a batch with a separate message once no tensor refers to it. So a function may
//! keep a tensor longer than its batch. A region that is not released when a session ends is never
//! written again.
//!
//! Segments reserve much address space but little memory. Pages are allocated on demand, so that a
//! lack of memory is an error of one batch, and are released after some seconds without use. A
//! control group limit cannot be detected this way: the kernel kills a process that exceeds it.
//!
//! # Process failure
//!
//! One thread of each process sleeps on the sockets of all its sessions. When tritonserver dies,
//! the worker's instances become free for the next one. When the worker dies, every batch in flight
//! and every later one fails. When a session breaks while both live, the instance reconnects. No
//! named resource can be left behind, except the socket, which is removed with its folder.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

pub mod arena;
#[cfg(not(loom))]
mod export;
mod failure;
#[cfg(not(loom))]
#[expect(unsafe_code, reason = "the C API of Triton")]
pub mod ffi;
#[cfg(not(loom))]
mod gather;
#[cfg(not(loom))]
mod instance;
pub mod protocol;
#[cfg(not(loom))]
mod proxy;
#[cfg(not(loom))]
mod readiness;
pub mod ring;
#[cfg(not(loom))]
pub mod session;
#[cfg(not(loom))]
#[expect(unsafe_code, reason = "memory that another process writes")]
mod shm;
#[cfg(not(loom))]
mod started_sequences;
mod sync;

pub use failure::{Code, Failure};
#[cfg(not(loom))]
pub use ffi::now;
#[cfg(not(loom))]
pub use gather::{Gathering, Pieces};
#[cfg(not(loom))]
pub use proxy::{Proxy, SOCKET_VARIABLE, TOKEN_VARIABLE};
#[cfg(not(loom))]
pub use shm::return_large_blocks;
#[cfg(not(loom))]
pub use started_sequences::StartedSequences;

/// The shared library that tritonserver loads, or the reason why this binary has none.
#[cfg(not(pytriton_library))]
pub const LIBRARY: Result<&[u8], &str> = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The backend's name in a model's configuration. The library is `libtriton_pytriton.so`.
pub const NAME: &str = "pytriton";

#[cfg(pytriton_library)]
export!(proxy::Proxy);
