//! The attribute and derive macros of `pytriton`.
//!
//! The user's documentation stands on the re-exports in the facade, where its examples compile.

#![forbid(unsafe_code)]

mod attribute;
mod element;
mod errors;
mod model;
mod nearest;
mod options;
mod outputs;
mod path;
#[cfg(test)]
mod snapshot;
mod stray;
mod tensor;

use proc_macro::TokenStream;

use attribute::Helper;

/// Documented on the re-export in `pytriton`.
#[proc_macro_attribute]
pub fn model(attribute: TokenStream, item: TokenStream) -> TokenStream {
    model::expand(attribute.into(), item.into()).into()
}

/// Documented on the re-export in `pytriton`.
#[proc_macro_derive(Outputs, attributes(output))]
pub fn derive_outputs(item: TokenStream) -> TokenStream {
    outputs::expand(item.into()).into()
}

/// Documented on the re-export in `pytriton`.
#[proc_macro_attribute]
pub fn batch(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::Batch, attribute.into(), item.into()).into()
}

/// Documented on the re-export in `pytriton`.
#[proc_macro_attribute]
pub fn sample(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::Sample, attribute.into(), item.into()).into()
}

/// Documented on the re-export in `pytriton`.
#[proc_macro_attribute]
pub fn first_value(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::FirstValue, attribute.into(), item.into()).into()
}

/// Documented on the re-export in `pytriton`.
#[proc_macro_attribute]
pub fn input(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::Input, attribute.into(), item.into()).into()
}

/// Documented on the re-export in `pytriton`.
#[proc_macro_attribute]
pub fn output(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::Output, attribute.into(), item.into()).into()
}

/// Documented on the re-export in `pytriton`.
#[proc_macro_attribute]
pub fn load(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::Load, attribute.into(), item.into()).into()
}

/// Documented on the re-export in `pytriton`.
#[proc_macro_attribute]
pub fn infer(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::Infer, attribute.into(), item.into()).into()
}
