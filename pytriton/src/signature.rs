//! The traits of the types in a model's signature.
//!
//! Compile errors name them: "the trait `Parameter` is not implemented for `Vec<f32>`". Do not
//! implement them: their items are not public API and may change in any version.
//! `#[derive(pytriton::Inputs)]` implements [`Parameter`] for a struct,
//! `#[derive(pytriton::Outputs)]` implements [`Outputs`], and
//! [`BytesElement`](crate::elements::BytesElement) adds a type for the elements of arrays.
//!
//! The traits can be the bounds of generic code, for example of a function that reads signatures:
//!
//! ```
//! use pytriton::ndarray::{Array2, ArrayView2};
//! use pytriton::signature::{Outputs, Parameter};
//!
//! const fn is_signature<P: Parameter, O: Outputs>() {}
//!
//! const _: () = is_signature::<ArrayView2<f32>, (Array2<f32>, Array2<i64>)>();
//! ```
//!
//! | Place in the signature | Trait |
//! | --- | --- |
//! | a parameter of the function | [`Parameter`] |
//! | a parameter with `#[first_value]` | [`FirstValueParameter`] |
//! | a parameter with `#[sequence]` | [`SequenceParameter`] |
//! | a parameter of a function with `#[load]` | [`LoadParameter`] |
//! | a parameter of a function with `#[sequence]` | [`StartParameter`] |
//! | the return type, or the item of a returned iterator or stream | [`Outputs`] |
//! | the return type of a function of `&[Request]` | [`EachOutputs`] |
//! | a member of a returned tuple, or a field of a struct | [`Output`] |

pub use pytriton_runtime::call::{
    EachOutputs, FirstValueParameter, LoadParameter, Output, Outputs, Parameter, SequenceParameter,
    StartParameter,
};
