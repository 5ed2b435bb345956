//! The decorators, one file each: name, place, options and expansion.

mod attribute;
pub(crate) mod batch;
mod decorator;
pub(crate) mod fill_optionals;
pub(crate) mod first_value;
pub(crate) mod group_by_keys;
pub(crate) mod group_by_values;
pub(crate) mod infer;
pub(crate) mod input;
pub(crate) mod load;
mod misplaced;
pub(crate) mod openai;
pub(crate) mod output;
pub(crate) mod pad_batch;
pub(crate) mod sample;
pub(crate) mod sequence;
pub(crate) mod step;
pub(crate) mod warmup;

pub(crate) use attribute::{Decoration, is_model, plain_name};
pub(crate) use decorator::{Decorator, Input, Inputs, Place, Stage};
pub(crate) use misplaced::misplaced;
