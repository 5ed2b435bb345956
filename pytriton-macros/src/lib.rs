//! The attribute and derive macros of `pytriton`.
//!
//! # Features
//!
//! - `client`: types for typed clients, from models and from signature files.
//! - `python`: the initialization function of a Python module.

#![forbid(unsafe_code)]
#![expect(
    missing_docs,
    reason = "the documentation stands on the re-exports in `pytriton`, where its examples compile"
)]

mod array;
#[cfg(any(feature = "client", test))]
mod client;
/// The decorators, one file each: name, places, options and expansion.
mod decorators {
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
}
mod did_you_mean;
mod docs;
mod element;
mod entry;
mod enum_option;
mod errors;
mod example;
mod expression;
mod model;
mod options;
mod output;
mod outputs;
mod path;
#[cfg(any(feature = "python", test))]
mod python;
#[cfg(test)]
mod snapshot;
mod tensor;
mod types;
mod value;

use proc_macro::TokenStream;

#[proc_macro_attribute]
pub fn model(attribute: TokenStream, item: TokenStream) -> TokenStream {
    model::expand(attribute.into(), item.into()).into()
}

#[proc_macro_derive(Outputs, attributes(output))]
pub fn derive_outputs(item: TokenStream) -> TokenStream {
    outputs::expand(item.into()).into()
}

#[cfg(feature = "client")]
#[proc_macro]
pub fn client(tokens: TokenStream) -> TokenStream {
    client::expand(tokens.into()).into()
}

#[cfg(feature = "python")]
#[proc_macro]
pub fn python(tokens: TokenStream) -> TokenStream {
    python::expand(tokens.into()).into()
}

/// Defines the entry point of each decorator and the table of all: a decorator is a file of its
/// name, a module in `decorators`, and a word in this list.
macro_rules! decorators {
    ($($name:ident)*) => {
        const DECORATORS: &[&decorators::Decorator] = &[$(&decorators::$name::DECORATOR),*];

        $(
            #[proc_macro_attribute]
            pub fn $name(attribute: TokenStream, item: TokenStream) -> TokenStream {
                let decorator = &decorators::$name::DECORATOR;
                decorators::misplaced(decorator, &attribute.into(), item.into()).into()
            }
        )*
    };
}

decorators!(batch sample fill_optionals group_by_keys group_by_values pad_batch step first_value input output load infer sequence openai warmup);
