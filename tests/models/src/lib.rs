//! The models that the end-to-end tests ask for: a part of a binary, or a backend of tritonserver's own process.

mod batching;
mod cached;
mod failing;
mod gate;
mod identities;
mod in_flight;
mod injected;
mod ledger;
mod limited;
mod priorities;
mod raw;
mod saturated;
mod seen;
mod sequences;
mod shapes;
mod stateful;
mod streams;
mod texts;
mod waiting;

pytriton::backend!();
