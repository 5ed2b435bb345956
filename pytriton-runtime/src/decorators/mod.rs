//! The decorators of a function: what stands between a batch and the call, one file each.
//!
//! A [`Step`] may cut the rows of a [`Batch`] into groups that are called apart, change what the function is given, and
//! change what it returned. Steps stand in the order in which they are written: the first sees the batch first, and the
//! outputs last. `#[first_value]` is no step but a way to read an argument, so that it always comes last.

mod batch;
mod constant_padder;
mod default_value;
mod error;
mod fill_optionals;
mod first_value;
mod group_by_values;
mod pad_batch;
mod pad_value;
mod padder;
mod repeated;
mod step;
mod widened;

pub use batch::Batch;
pub(crate) use batch::{SingleRows, single_rows};
pub use constant_padder::ConstantPadder;
pub use default_value::DefaultValue;
pub use error::StepError;
pub use fill_optionals::FillOptional;
pub(crate) use first_value::first_row;
pub use group_by_values::GroupByValues;
pub use pad_batch::PadBatch;
pub use pad_value::PadValue;
pub use padder::Padder;
pub use step::{Groups, Step, Steps, step};
