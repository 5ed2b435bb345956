//! `#[model]`: parse, validate into a [`Model`](ast::Model), expand.

mod arguments;
mod ast;
mod block;
mod client;
mod conversion;
mod decorations;
mod expand;
mod function;
mod hint;
mod instances;
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

pub(crate) use expand::expand;
pub(crate) use parameters::Parameter;
