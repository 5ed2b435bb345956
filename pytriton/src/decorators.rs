//! The steps of decorators, for run-time models, and [`Step`] for one of your own.
//!
//! `#[pad_batch]` is [`PadBatch`], `#[fill_optionals(…)]` is [`FillOptional`], and
//! `#[group_by_values(…)]` is [`GroupByValues`]. A run-time model takes them with
//! [`Model::step`](crate::runtime_models::Model::step), and a function takes a step with
//! [`#[step(…)]`](macro@crate::step).

pub use pytriton_runtime::decorators::{
    Batch, ConstantPadder, DefaultValue, FillOptional, GroupByValues, Groups, PadBatch, PadValue,
    Padder, Step, StepError,
};
