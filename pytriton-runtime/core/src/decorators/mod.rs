//! The decorators of a function, which process a batch before and after the call.
//!
//! A [`Step`] may split the rows of a [`Batch`] into groups that are called separately, change the
//! inputs, and change the outputs. Steps apply in the order in which they are written: the first
//! one sees the batch first and the outputs last. `#[first_value]` is not a step but a way to read
//! an argument, so it always applies last.

mod batch;
mod constant_padder;
mod decoded;
mod default_value;
mod error;
mod fill_optionals;
mod first_value;
mod group_by_values;
mod pad_batch;
mod pad_value;
mod padder;
mod repeated;
mod row_offsets;
mod single_rows;
mod step;
mod widened;

pub use batch::Batch;
pub use constant_padder::ConstantPadder;
#[cfg(test)]
pub(crate) use decoded::ELEMENT_BYTES;
pub(crate) use decoded::{decoded_bytes, decoded_bytes_of};
pub use default_value::DefaultValue;
pub use error::StepError;
pub use fill_optionals::FillOptional;
pub(crate) use first_value::first_row;
pub use group_by_values::GroupByValues;
pub use pad_batch::PadBatch;
pub use pad_value::PadValue;
pub use padder::Padder;
pub(crate) use row_offsets::RowOffsets;
pub(crate) use single_rows::{SingleRows, single_rows};
pub(crate) use step::Steps;
pub use step::{Groups, Step};
