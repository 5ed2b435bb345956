//! JSON for the other modules: a writer with Triton's layout, and parsers that keep large data as
//! text.

mod bounded_vec;
#[cfg(feature = "embedded")]
mod bounds;
#[cfg(feature = "embedded")]
mod flat;
#[cfg(feature = "embedded")]
mod length;
#[cfg(feature = "embedded")]
mod list;
#[cfg(feature = "embedded")]
mod members;
#[cfg(feature = "embedded")]
mod not_finite;
#[cfg(feature = "embedded")]
mod number;
mod object;
mod unescape;
mod value;
#[cfg(feature = "embedded")]
mod writer;

#[cfg(feature = "embedded")]
pub(crate) use bounded_vec::MAX_ITEMS;
pub(crate) use bounded_vec::{BoundedVec, BoundedVecError};
#[cfg(feature = "embedded")]
pub(crate) use bounds::{Bounds, ReadError};
#[cfg(feature = "embedded")]
use flat::string_length;
#[cfg(feature = "embedded")]
pub(crate) use flat::{Flat, Token};
#[cfg(feature = "embedded")]
pub(crate) use length::length;
#[cfg(feature = "embedded")]
pub(crate) use list::List;
#[cfg(feature = "embedded")]
pub(crate) use members::{Members, Names, members};
#[cfg(feature = "embedded")]
pub(crate) use not_finite::not_finite;
#[cfg(feature = "embedded")]
pub(crate) use number::Float;
#[cfg(feature = "embedded")]
pub(crate) use object::{Key, twice};
pub(crate) use object::{Object, parse};
pub(crate) use unescape::unescape;
pub(crate) use value::Value;
#[cfg(feature = "embedded")]
pub(crate) use writer::JsonWriter;
