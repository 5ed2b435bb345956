//! The attribute and derive macros of `pytriton`.

#![forbid(unsafe_code)]
#![expect(
    missing_docs,
    reason = "the documentation stands on the re-exports in `pytriton`, where its examples compile"
)]

mod array;
mod attribute;
mod element;
mod entry;
mod errors;
mod model;
mod nearest;
mod options;
mod output;
mod outputs;
mod path;
#[cfg(test)]
mod snapshot;
mod stray;
mod tensor;
mod texts;
mod types;

use proc_macro::TokenStream;

use attribute::Helper;

#[proc_macro_attribute]
pub fn model(attribute: TokenStream, item: TokenStream) -> TokenStream {
    model::expand(attribute.into(), item.into()).into()
}

#[proc_macro_derive(Outputs, attributes(output))]
pub fn derive_outputs(item: TokenStream) -> TokenStream {
    outputs::expand(item.into()).into()
}

#[proc_macro_attribute]
pub fn batch(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::Batch, &attribute.into(), item.into()).into()
}

#[proc_macro_attribute]
pub fn sample(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::Sample, &attribute.into(), item.into()).into()
}

#[proc_macro_attribute]
pub fn first_value(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::FirstValue, &attribute.into(), item.into()).into()
}

#[proc_macro_attribute]
pub fn input(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::Input, &attribute.into(), item.into()).into()
}

#[proc_macro_attribute]
pub fn output(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::Output, &attribute.into(), item.into()).into()
}

#[proc_macro_attribute]
pub fn load(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::Load, &attribute.into(), item.into()).into()
}

#[proc_macro_attribute]
pub fn infer(attribute: TokenStream, item: TokenStream) -> TokenStream {
    stray::expand(Helper::Infer, &attribute.into(), item.into()).into()
}
