//! JSON as the other files need it: a writer with Triton's layout, and readers that keep large data as text.

mod flat;
mod length;
mod not_finite;
mod number;
mod object;
mod value;
mod writer;

pub(crate) use flat::{Flat, Token};
pub(crate) use length::length;
pub(crate) use not_finite::not_finite;
pub(crate) use number::Float;
pub(crate) use object::{Key, List, Object, parse, twice};
pub(crate) use value::Value;
pub(crate) use writer::JsonWriter;
