//! JSON for the other modules: a writer with Triton's layout, and parsers that keep large data as
//! text.

mod bounded;
mod bounded_value;
mod bounds;
mod collection;
mod flat;
mod length;
mod limit;
mod list;
mod members;
mod not_finite;
mod number;
mod object;
mod unescape;
mod value;
mod writer;

pub(crate) use bounded::Bounded;
pub use bounded_value::bounded_object;
pub(crate) use bounds::{Bounds, ReadError};
use flat::string_length;
pub(crate) use flat::{Flat, Token};
pub(crate) use length::length;
pub(crate) use limit::{CollectionError, Full, Limit, MAX_ITEMS};
pub(crate) use list::List;
pub(crate) use members::{Members, Names, members};
pub(crate) use not_finite::not_finite;
pub use number::Float;
pub(crate) use object::{Key, Object, parse, twice};
pub(crate) use unescape::unescape;
pub(crate) use value::Value;
pub use writer::JsonWriter;
