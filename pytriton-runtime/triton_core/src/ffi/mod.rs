//! The boundary to Triton's library.
//!
//! Only this module contains `unsafe` code. It relies on the following:
//!
//! 1. The functions have the types of Triton's headers. [`Loaded::open`] checks the version of the
//!    API, within whose major version they do not change. The library is never closed.
//! 2. Values that Triton returns through a pointer without reporting an error are valid. Strings
//!    end with a zero byte, arrays have the length that is returned with them, and both live as
//!    long as the object they belong to.
//! 3. Every object of Triton has one owner, whose `drop` deletes it. A [`Server`] that has not
//!    stopped in time is leaked instead, because its requests and models still use it. At most one
//!    server exists, because they share memory pools.
//! 4. A request is in flight from its sending until Triton has called both its release callback,
//!    once, and its response callback with the final flag, once. Each of the two callbacks owns a
//!    count of the [`InFlight`], so it is live until then. Triton allocates no output for a
//!    request, and uses nothing of it, after both. Then the request is deleted, after a pause if a
//!    model was unloaded meanwhile. Until both it may be cancelled by any thread.
//! 5. A backend writes to an output before it sends the response, and not after that.
//! 6. No panic leaves a callback.

mod allocator;
mod api;
mod buffer;
mod callbacks;
mod error;
mod in_flight;
mod loaded;
mod loader;
mod options;
mod raw;
mod request;
mod requests;
mod response;
mod server;

pub(crate) use in_flight::InFlight;
pub(crate) use loaded::Loaded;
pub(crate) use request::send;
pub(crate) use server::Server;
