//! Batches as the Triton backend gathers them: from descriptions to requests, and from results to
//! responses. Also the queue to instances on other threads.

mod calls;
mod codes;
#[expect(
    clippy::module_inception,
    reason = "the room and the noun share their name"
)]
mod gathered;
mod names;
mod streamed;

pub(crate) use calls::{Call, Calls, CallsEnd, calls, refuse};
use codes::datatype_number;
pub(crate) use codes::{code, parameter};
pub(crate) use gathered::{Gathered, Results};
pub(crate) use names::{names, welcome};
pub(crate) use streamed::{Outlet, Streamed, Streaming};
