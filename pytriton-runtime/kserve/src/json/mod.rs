//! JSON for the other modules: a writer with Triton's layout, and parsers that keep large data as
//! text.

mod bounded_map;
mod bounded_value;
mod bounded_vec;
mod bounds;
mod flat;
mod length;
mod list;
mod members;
mod not_finite;
mod number;
mod object;
mod unescape;
mod value;
mod writer;

pub(crate) use bounded_map::BoundedMap;
pub use bounded_value::bounded_object;
pub(crate) use bounded_vec::{BoundedVec, BoundedVecError, MAX_ITEMS};
pub(crate) use bounds::{Bounds, ReadError};
use flat::string_length;
pub(crate) use flat::{Flat, Token};
pub(crate) use length::length;
pub(crate) use list::List;
pub(crate) use members::{Members, Names, members};
pub(crate) use not_finite::not_finite;
pub use number::Float;
pub(crate) use object::{Key, Object, parse, twice};
pub(crate) use unescape::unescape;
pub(crate) use value::Value;
pub use writer::JsonWriter;
