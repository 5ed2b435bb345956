//! Batches as the Triton backend describes them: its description to requests, results to its description.

mod codes;
mod names;
mod requests;

pub(crate) use codes::{code, datatype_number};
pub(crate) use names::names;
pub(crate) use requests::{Handover, handover};
