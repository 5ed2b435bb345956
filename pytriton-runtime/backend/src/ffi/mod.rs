//! Triton's C API. With `shm` the only room with `unsafe` code.
//!
//! Invariants, on which the SAFETY comments below rely:
//!
//! 1. Triton calls the entry points with pointers to its own live objects, as `tritonbackend.h` says, and calls
//!    execute, initialize and finalize of one instance one after the other. Whether an instance is ready it asks at any
//!    time between its initialize and its finalize.
//! 2. What Triton returns through a pointer when it reports no error is valid: texts end with a zero byte, arrays are as
//!    long as the count beside them, and both live until their request is released.
//! 3. A [`Request`] is borrowed from the [`Batch`] that has it, which releases it: until then it belongs to the backend.
//! 4. No panic leaves an entry point.
//! 5. Triton's objects may be used by any thread. A request that the backend has is live until it
//!    is released, and an instance until its finalize returns. That waits until every batch of the
//!    instance is answered, on whichever instance's session it is executed: each [`Batch`] has an
//!    `Unanswered` of its instance until then.

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
mod unanswered;

pub use batch::Batch;
pub use clock::now;
pub use entry::{
    execute, finalize_instance, initialize, initialize_instance, instance_ready, set_attributes,
};
pub use executor::{Executor, Instance};
pub use raw::{RawAttribute, RawBackend, RawError, RawInstance, RawRequest};
pub use request::{Correlation, Input, Parameter, Request, Sequence, Value};
#[cfg(test)]
pub(crate) use simulated::{Simulated, SimulatedRequest, alone, keeping};
