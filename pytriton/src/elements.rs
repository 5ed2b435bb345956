//! Elements of tensors: the trait [`Element`], and elements of `BYTES` tensors other than `String`
//! and `Vec<u8>`.
//!
//! [`Bytes`] is an element without a copy, and [`Json`] is a value as JSON text. A type that
//! implements [`BytesElement`] can be used in the same places: in arrays of inputs and outputs, and
//! under `#[first_value]`.
//!
//! ```
//! # #[cfg(feature = "embedded")]
//! # mod served {
//! use pytriton::elements::{Bytes, BytesElement, ElementError};
//! use pytriton::prelude::*;
//!
//! /// The two numbers of a binary PPM picture.
//! #[derive(Clone)]
//! struct Size(u32, u32);
//!
//! impl BytesElement for Size {
//!     fn decode(element: Bytes) -> Result<Self, ElementError> {
//!         let text = String::from_utf8_lossy(&element[..element.len().min(32)]);
//!         let mut parts = text.split_ascii_whitespace();
//!         if parts.next() != Some("P6") {
//!             return Err("a picture starts with `P6`".into());
//!         }
//!         let mut number = || parts.next().ok_or("the picture is truncated");
//!         Ok(Self(number()?.parse()?, number()?.parse()?))
//!     }
//!
//!     fn encode(&self) -> Result<Bytes, ElementError> {
//!         Ok(format!("P6 {} {} 255\n", self.0, self.1).into())
//!     }
//! }
//!
//! #[pytriton::model(name = "Pixels", max_batch_size = 8)]
//! #[batch]
//! fn pixels(picture: ArrayView2<Size>) -> Array2<u64> {
//!     picture.mapv(|Size(width, height)| u64::from(width) * u64::from(height))
//! }
//! # }
//! # fn main() {}
//! ```
//!
//! An element that cannot be decoded is an error (HTTP status 400) of the request that contains it.
//! Other requests of its batch are not affected. The error names the input, the index of the
//! element and the reason. A panic in `decode` is an error of that request with HTTP status 500. It
//! is not fatal for the model, even if `unrecoverable_panics` is set.

pub use pytriton_protocol::tensor::{Bytes, BytesElement, Element, ElementError, Json, RaggedRows};
