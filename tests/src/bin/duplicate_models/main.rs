//! Two models of one name and version, which must not start.

mod first;
mod second;

pytriton::main!();
