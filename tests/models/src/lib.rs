//! The models for the end-to-end tests, in a binary or as a native backend.

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
