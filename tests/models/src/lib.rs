//! The models for the end-to-end tests, in a binary or as a native backend.

mod barrier;
mod batching;
mod cached;
mod embeddings;
mod failing;
mod identities;
mod in_flight;
mod injected;
mod ledger;
mod limited;
mod omitted;
mod openai;
mod priorities;
mod ragged;
mod raw;
mod saturated;
mod seen;
mod sequences;
mod shapes;
mod stateful;
mod streams;
mod structs;
mod waiting;

pytriton::backend!();
