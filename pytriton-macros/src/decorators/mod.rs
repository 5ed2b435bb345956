//! The decorators: a row in [`table`], or a file with name, places, options and expansion.

mod attributes;
pub(crate) mod cost;
mod decorator;
pub(crate) mod fill_optionals;
pub(crate) mod first_value;
pub(crate) mod input;
mod inputs;
mod misplaced;
mod named_inputs;
pub(crate) mod openai;
pub(crate) mod output;
pub(crate) mod step;
mod table;
pub(crate) mod warmup;

pub(crate) use attributes::is_model;
pub(crate) use decorator::{Decoration, Decorator, Place, Stage};
pub(crate) use inputs::{Input, Inputs};
pub(crate) use misplaced::misplaced;
pub(crate) use table::rows::*;
pub(crate) use table::table;
