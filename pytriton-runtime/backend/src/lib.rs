//! The Triton backend of pytriton, and the channel over which it reaches the process that runs the models.
//!
//! tritonserver loads this crate as a shared library, which the user's binary carries ([`LIBRARY`]). The same crate is
//! linked into the binary itself, so that both ends of the channel are one piece of code.
//!
//! # Rooms
//!
//! - `ffi`: Triton's C API; the entry points, requests, responses, statistics.
//! - `gather`: where each tensor of a batch goes.
//! - `wire`: the descriptions of batches and answers. Pure.
//! - `shm`: segments of shared memory, futexes, descriptors over sockets.
//! - `channel`: whose turn it is, greetings, the two ends.
//! - `handoff`: how a batch comes to a lane that is free.
//! - `proxy`: a batch's way from Triton into a channel and its answer's way back.
//!
//! # Protocol
//!
//! The worker listens on a Unix socket in a folder that only its user can enter. Each lane of an instance in tritonserver
//! connects, sends the version of the protocol, a token, its model, and two descriptors: a page of numbers and its input
//! segment. The worker compares user and token, gives the guest to a free instance of that model, and sends back the names
//! of the tensors, how many lanes an instance shall have, and the descriptor of its output segment. From then on the socket
//! carries an input segment now and then, and its end of file is the news that the other process is gone.
//!
//! A batch: the instance writes the description and then the tensors into the input segment, each input's rows of all
//! requests one behind the other; writes the two lengths on the page; and turns the word. The worker copies the
//! description, checks it, runs the function on the tensors where they lie, writes description and tensors of the answer
//! into its output segment, and turns the word back. One word says whose turn it is, so that a lane has one batch at a
//! time. An instance of one lane executes it on the thread from which Triton calls; one of several hands it to a thread of
//! the lane that is free, and Triton goes on.
//!
//! # Whose memory
//!
//! A segment is written by the process that made it, during its own turn, and read by the other during the other's. A
//! function may keep a tensor of a request beyond its batch. Then the worker keeps the whole input segment with it, says
//! so on the page, and the instance sends a new one before it asks again: what was kept never changes.
//!
//! Segments are large in addresses and small in memory. Pages are allocated before they are written, so that a lack of
//! memory is an error of one batch, and are given back when the batches of a while have not needed them.
//!
//! # Death
//!
//! Whoever waits looks at the socket every 100 milliseconds. When tritonserver dies the worker's instances are free for
//! the next one; when the worker dies every batch under way ends with an error, and so does every later one. Nothing has
//! a name that could stay behind except the socket, which goes with its folder.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]

pub mod channel;
#[cfg(not(loom))]
mod export;
mod failure;
#[cfg(not(loom))]
#[expect(unsafe_code, reason = "the C API of Triton")]
pub mod ffi;
#[cfg(not(loom))]
mod gather;
#[cfg(any(not(loom), test))]
mod handoff;
#[cfg(not(loom))]
mod proxy;
#[cfg(not(loom))]
#[expect(unsafe_code, reason = "memory that another process writes")]
pub mod shm;
mod sync;
pub mod wire;

pub use failure::{Code, Failure};
#[cfg(not(loom))]
pub use gather::Gathering;
#[cfg(not(loom))]
pub use proxy::{Proxy, SOCKET_VARIABLE, TOKEN_VARIABLE};

/// The shared library that tritonserver loads, or why this binary has none.
#[cfg(not(pytriton_library))]
pub const LIBRARY: Result<&[u8], &str> = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The backend's name in a model's configuration; its library is `libtriton_pytriton.so`.
pub const NAME: &str = "pytriton";

#[cfg(pytriton_library)]
export!(proxy::Proxy);
