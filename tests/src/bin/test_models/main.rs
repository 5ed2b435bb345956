//! The models that the end-to-end tests ask for.

mod batching;
mod cached;
mod failing;
mod identities;
mod injected;
mod raw;
mod shapes;
mod stateful;
mod waiting;

pytriton::main!();
