//! Triton's C API. Together with `shm`, the only module with `unsafe` code.
//!
//! The SAFETY comments below rely on these invariants:
//!
//! 1. Triton calls the entry points with pointers to its own live objects, as `tritonbackend.h`
//!    specifies. It calls execute, initialize and finalize of one instance one after the other. It
//!    may query the readiness of an instance at any time between its initialize and its finalize.
//! 2. Values that Triton returns through a pointer without reporting an error are valid. Strings
//!    end with a zero byte, arrays have the length that is returned with them, and both live until
//!    their request is released.
//! 3. A [`Request`] is borrowed from its [`Batch`], which releases it. Until then it belongs to the
//!    backend. So the lifetime `'b` of a request and of what it returns ends before its release.
//! 4. No panic leaves an entry point.
//! 5. Any thread may use Triton's objects. A request of the backend is live until it is released,
//!    and an instance until its finalize returns. Finalize waits until every batch of the instance
//!    is completed, even if the session of another instance executes it. Until then each [`Batch`]
//!    holds a `BatchGuard` of its instance.

mod api;
#[cfg(pytriton_library)]
mod arguments;
mod batch;
mod clock;
mod entry;
mod error;
mod executor;
mod factory;
#[cfg(pytriton_library)]
mod interpose;
mod loaded_instance;
#[cfg(any(pytriton_library, test))]
mod notify;
mod pending;
mod raw;
mod request;
mod response;
mod response_statistics;
#[cfg(test)]
mod simulated;
mod statistics;
mod stream;
mod unfinished_batches;

pub use crate::instance::Instance;
pub use batch::Batch;
pub use clock::now;
pub use entry::{
    execute, finalize_instance, initialize, initialize_instance, instance_ready, set_attributes,
};
pub use executor::Executor;
pub use raw::{RawAttribute, RawBackend, RawError, RawInstance, RawRequest};
pub use request::{Correlation, Input, Parameter, Request, Sequence, Value};
#[cfg(test)]
pub(crate) use simulated::{Simulated, SimulatedRequest, exclusive, forwarding_instance};
