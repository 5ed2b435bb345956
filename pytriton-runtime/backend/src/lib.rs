//! The Triton backend of pytriton, and the channel over which it reaches the process that runs the models.
//!
//! tritonserver loads this crate as a shared library, which the user's binary carries ([`LIBRARY`]). The same crate is
//! linked into the binary itself, so that both ends of the channel are one piece of code.
//!
//! # Rooms
//!
//! - `ffi`: Triton's C API; the entry points, batches, responses, statistics.
//! - `gather`: where each tensor of a batch goes.
//! - `wire`: the messages, and the descriptions of batches and answers. Pure.
//! - `ring`: messages from one process to another, and how one sleeps until the next.
//! - `arena`: which bytes are free. Pure.
//! - `shm`: segments of shared memory, futexes, descriptors over sockets, the thread that watches the sockets.
//! - `session`: greetings, the two ends of the rings.
//! - `proxy`: a batch's way from Triton into a session and its answers' way back.
//! - `readiness`: which models can be executed, for servers that do not ask.
//!
//! # Features
//!
//! - `fuzzing`: entry points for the fuzz targets of this repository; not public API.
//!
//! # Protocol
//!
//! The worker listens on a Unix socket in a folder that only its user can enter. Each instance in tritonserver connects,
//! and sends the version of the protocol, a token and its model. The worker compares user and token, and sends back the
//! names of the tensors, how many batches the instance may have under way, and the descriptor of two rings. From then on
//! the socket carries the descriptors of segments now and then, and its end of file is the news that the other process is
//! gone.
//!
//! A batch: the instance writes the description and then the tensors into a region of its arena, each input's rows of all
//! requests one behind the other, and puts a message into the ring that goes down. The worker copies the description,
//! checks it, runs the function on the tensors where they lie, writes descriptions and tensors of the answers into a region
//! of its own arena, and puts a message for each answer into the ring that goes up. A message carries the batch's number,
//! the request's position, a sequence number, and whether it is the request's last. Messages may go in both directions at
//! any time: that a request was taken back goes down while its batch waits.
//!
//! A request of a decoupled model has any number of answers, each of which leaves at once, and an end without a description, for
//! which tritonserver gets flags alone: its last answer is never said to be one, but for an error. As long as the ring that
//! goes up is full, or 256 MiB of answers are under way on a session, the function waits. So it does not run ahead of
//! tritonserver; what that keeps for a client that reads slowly, nobody sees. Every 20 ms, and at every answer, it is looked
//! whether the client has gone, and the worker is told.
//!
//! # Whose memory
//!
//! A region is written by the process whose arena it is in, before it is handed over, and read by the other one until that
//! gives it back: an answer's with its place in the ring, a batch's with a message of its own once nobody holds a tensor of
//! it. So a function may keep a tensor beyond its batch. What is not given back when a session ends is never written again.
//!
//! Segments are large in addresses and small in memory: pages are allocated when they are needed, so that a lack of memory
//! is an error of one batch, and go back when they were not needed for some seconds. A limit of a control group is not
//! seen that way: there the kernel ends a process that goes beyond it.
//!
//! # Death
//!
//! One thread of each process sleeps on the sockets of all its sessions. When tritonserver dies the worker's instances are
//! free for the next one; when the worker dies every batch under way ends with an error, and so does every later one. When
//! a session breaks and both live, the instance connects again. Nothing has a name that could stay behind except the
//! socket, which goes with its folder.
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
mod proxy;
#[cfg(not(loom))]
mod readiness;
#[cfg(not(loom))]
mod refused_sequences;
pub mod ring;
#[cfg(not(loom))]
pub mod session;
#[cfg(not(loom))]
#[expect(unsafe_code, reason = "memory that another process writes")]
mod shm;
mod sync;
pub mod wire;

pub use failure::{Code, Failure};
#[cfg(not(loom))]
pub use ffi::now;
#[cfg(not(loom))]
pub use gather::{Gathering, Pieces};
#[cfg(not(loom))]
pub use proxy::{Proxy, SOCKET_VARIABLE, TOKEN_VARIABLE};
#[cfg(not(loom))]
pub use refused_sequences::RefusedSequences;
#[cfg(not(loom))]
pub use shm::return_large_blocks;

/// The shared library that tritonserver loads, or why this binary has none.
#[cfg(not(pytriton_library))]
pub const LIBRARY: Result<&[u8], &str> = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// The backend's name in a model's configuration; its library is `libtriton_pytriton.so`.
pub const NAME: &str = "pytriton";

#[cfg(pytriton_library)]
export!(proxy::Proxy);
