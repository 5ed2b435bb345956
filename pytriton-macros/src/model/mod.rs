//! `#[model]`: parse, validate into a [`Model`](ast::Model), expand.

mod arguments;
mod ast;
mod attribute;
mod block;
mod client;
mod conversion;
mod decorations;
mod expand;
mod function;
mod hint;
mod instances;
mod invocation;
mod item;
mod lifetime;
mod member;
mod option_table;
mod options;
mod outputs;
mod parameters;
mod receiver;
mod signature;
mod state;
mod streamed;
#[cfg(test)]
mod tests;
mod validate;
mod versions;

#[cfg(any(feature = "onnx", test))]
pub(crate) use attribute::Attribute;
pub(crate) use expand::expand;
#[cfg(any(feature = "onnx", test))]
pub(crate) use expand::expand_with;
#[cfg(any(feature = "onnx", test))]
pub(crate) use options::ModelOptions;
pub(crate) use parameters::Parameter;
