//! One backend instance and one worker instance, and how they take turns.
//!
//! A [`Door`] stands on tritonserver's side and a [`Desk`] on the worker's. Both map three files: a page of numbers, the
//! input segment (written by the door), the output segment (written by the desk). Whose turn it is, the [`Doorbell`]
//! says; the socket over which the files were handed stays open, and its closing tells the death of the other process.

#[cfg(not(loom))]
mod desk;
#[cfg(not(loom))]
mod door;
mod doorbell;
#[cfg(not(loom))]
mod error;
#[cfg(not(loom))]
mod handshake;
mod layout;
#[cfg(test)]
mod tests;
#[cfg(not(loom))]
mod token;

#[cfg(not(loom))]
pub use desk::{Asked, Closer, Desk};
#[cfg(not(loom))]
pub use door::{Answered, Door};
pub use doorbell::{Doorbell, Hangup, Sleep, State};
#[cfg(not(loom))]
pub use error::ChannelError;
#[cfg(not(loom))]
pub use handshake::{Guest, TensorNames, Welcome};
pub use layout::{data_start, place};
#[cfg(not(loom))]
pub use token::Token;
