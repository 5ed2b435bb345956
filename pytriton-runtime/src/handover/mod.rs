//! Batches as the Triton backend describes them: its description to requests, results to its description; and the way to
//! instances on other threads.

mod codes;
mod line;
mod names;
mod requests;
mod run;

pub(crate) use codes::code;
use codes::datatype_number;
pub(crate) use line::{Line, LineEnd, line};
pub(crate) use names::{names, welcome};
pub(crate) use requests::Handover;
pub(crate) use run::{Results, Run, refuse, run};
