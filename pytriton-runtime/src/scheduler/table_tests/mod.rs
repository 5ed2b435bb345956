//! The rules of the dynamic batcher as tables of what comes, and what becomes of it and when, under paused time.

mod bench;
mod priorities;
mod together;
