//! What the page is tried with: the models of the examples in one server, and models of its own.

mod examples;
mod models;

pytriton::main!();
