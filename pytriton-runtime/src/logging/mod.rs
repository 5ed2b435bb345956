//! Log lines for people and for machines; texts of others do no harm in either.

mod about;
mod filter;
mod human;
mod json;
mod lines;
mod log;

pub use log::LogFormat;
pub(crate) use log::init;
