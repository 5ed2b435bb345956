//! The models for the tests of the docs page: those of the examples in one server, and models of
//! its own.

mod examples;
mod models;

pytriton::main!();
