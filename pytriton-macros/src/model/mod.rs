//! `#[model]`: parse, validate into a [`Model`], expand.

mod args;
mod ast;
mod block;
mod declared;
mod expand;
mod input;
mod item;
mod kind;
mod lifetime;
mod outputs;
mod parameters;
mod pipeline;
mod priorities;
mod queue_policy;
mod signature;
mod state;
#[cfg(test)]
mod tests;
mod tokens;
mod validate;

pub(crate) use expand::expand;
