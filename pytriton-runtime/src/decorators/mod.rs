//! The decorators of a function: what stands between a batch and the call, one file each.
//!
//! A [`Step`] may cut the rows of a [`Batch`] into groups that are called apart, change what the function is given, and
//! change what it returned. Steps stand in the order in which they are written: the first sees the batch first, and the
//! outputs last. [`first_row`] is no step but a way to read an argument, so that it always comes last.

mod batch;
mod error;
mod first_value;
mod step;

pub use batch::Batch;
pub(crate) use batch::{SingleRows, single_rows};
pub use error::StepError;
pub(crate) use first_value::first_row;
pub use step::{Groups, Step, Steps};
