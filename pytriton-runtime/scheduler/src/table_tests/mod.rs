//! The rules of the dynamic batcher as tables of requests and their results over time, with paused
//! time.

mod bench;
mod priorities;
mod together;
