//! The models that the tests of the clients ask for.

mod element_types;
mod plain;
pub mod typed;
mod waiting;

pytriton::backend!();
