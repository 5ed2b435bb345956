//! Batches as the Triton backend describes them: its description to requests, results to its description.

mod codes;
mod names;
mod requests;
mod run;

pub(crate) use codes::code;
use codes::datatype_number;
pub(crate) use names::names;
pub(crate) use run::{Results, refuse, run};
