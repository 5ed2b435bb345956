//! The attribute and derive macros of `pytriton`.
//!
//! # Features
//!
//! - `client`: types for typed clients, from models and from signature files.
//! - `onnx`: models from ONNX files.
//! - `python`: the initialization function of a Python module.
//! - `test-util`: the option `start_paused` of tests.

#![forbid(unsafe_code)]
#![expect(
    missing_docs,
    reason = "the documentation stands on the re-exports in `pytriton`, where its examples compile"
)]

mod array;
#[cfg(any(feature = "client", test))]
mod client;
mod decorators;
mod derive;
mod did_you_mean;
mod docs;
mod element;
mod entry;
mod enum_option;
mod errors;
mod example;
mod expression;
mod ident;
mod inputs;
mod model;
#[cfg(any(feature = "onnx", test))]
mod onnx;
mod options;
mod output;
mod outputs;
mod path;
#[cfg(any(feature = "python", test))]
mod python;
#[cfg(test)]
mod snapshot;
mod tensor;
mod test;
mod types;
mod value;

use proc_macro::TokenStream;

#[proc_macro_attribute]
pub fn model(attribute: TokenStream, item: TokenStream) -> TokenStream {
    model::expand(attribute.into(), item.into()).into()
}

#[proc_macro_derive(Inputs, attributes(first_value, input, sequence))]
pub fn derive_inputs(item: TokenStream) -> TokenStream {
    inputs::expand(item.into()).into()
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

#[cfg(feature = "onnx")]
#[proc_macro_attribute]
pub fn onnx(attribute: TokenStream, item: TokenStream) -> TokenStream {
    onnx::expand(attribute.into(), item.into()).into()
}

#[cfg(feature = "python")]
#[proc_macro]
pub fn python(tokens: TokenStream) -> TokenStream {
    python::expand(tokens.into()).into()
}

#[proc_macro_attribute]
pub fn test(attribute: TokenStream, item: TokenStream) -> TokenStream {
    test::expand(attribute.into(), item.into()).into()
}

/// Defines the entry point of each decorator.
macro_rules! entry_points {
    (rows {$($row:ident $columns:tt)*} files { $($file:ident)* }) => {
        entry_points!($($row)* $($file)*);
    };
    ($($name:ident)*) => {$(
        #[proc_macro_attribute]
        pub fn $name(attribute: TokenStream, item: TokenStream) -> TokenStream {
            let decorator = &decorators::$name::DECORATOR;
            decorators::misplaced(decorator, &attribute.into(), item.into()).into()
        }
    )*};
}

decorators::table!(entry_points);
