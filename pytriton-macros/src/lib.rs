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
/// The decorators: a row in `decorators!`, or a file with name, places, options and expansion.
mod decorators {
    mod attribute;
    mod decorator;
    pub(crate) mod fill_optionals;
    pub(crate) mod first_value;
    pub(crate) mod group_by_values;
    pub(crate) mod input;
    mod misplaced;
    pub(crate) mod openai;
    pub(crate) mod output;
    pub(crate) mod step;
    pub(crate) mod warmup;

    pub(crate) use attribute::{Decoration, is_model, plain_name};
    pub(crate) use decorator::{Decorator, Input, Inputs, Place, Stage};
    pub(crate) use misplaced::misplaced;

    pub(crate) use crate::rows::*;
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

/// Defines the entry point of each decorator and the table of all. A decorator without options is a
/// row: the places it may be applied to, the correct place for error messages, and, for a step, its
/// stage and the runtime type. Others are a file of their name and a module in `decorators`.
macro_rules! decorators {
    (
        rows {$(
            $row:ident: [$($place:ident)+] $belongs:literal $(, $stage:ident $(=> $step:ident)?)?;
        )*}
        files { $($file:ident)* }
    ) => {
        mod rows {$(
            pub(crate) mod $row {
                use crate::decorators::{Decorator, Place};

                pub(crate) const DECORATOR: Decorator = Decorator {
                    name: stringify!($row),
                    places: &[$(Place::$place),+],
                    belongs: $belongs,
                    $(
                        stage: Some(crate::decorators::Stage::$stage),
                        $(
                            steps: |decoration, _, errors| {
                                decoration.options(errors);
                                vec![quote::quote!(__private::$step)]
                            },
                        )?
                    )?
                    ..Decorator::NONE
                };
            }
        )*}

        const DECORATORS: &[&decorators::Decorator] = &[
            $(&decorators::$row::DECORATOR,)*
            $(&decorators::$file::DECORATOR),*
        ];

        decorators!(entry $($row)* $($file)*);
    };
    (entry $($name:ident)*) => {$(
        #[proc_macro_attribute]
        pub fn $name(attribute: TokenStream, item: TokenStream) -> TokenStream {
            let decorator = &decorators::$name::DECORATOR;
            decorators::misplaced(decorator, &attribute.into(), item.into()).into()
        }
    )*};
}

decorators! {
    rows {
        group_by_keys: [Function] "the function itself, above `#[batch]`", Requests;
        batch: [Function] "the function itself", Batch;
        sample: [Function] "the function itself", Batch;
        pad_batch: [Function] "the function itself, below `#[batch]`", Padding => PadBatch;
        load: [Method] "a method of an `impl` block under `#[pytriton::model]`";
        infer: [Method] "a method of an `impl` block under `#[pytriton::model]`";
        sequence: [Parameter Method] "a parameter: `#[sequence] state: &mut State`";
    }
    files { fill_optionals first_value group_by_values input openai output step warmup }
}
