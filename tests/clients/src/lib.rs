//! The models for the client tests.

mod element_types;
mod plain;
pub mod typed;
mod waiting;

pytriton::backend!();
