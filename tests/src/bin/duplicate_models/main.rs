//! Two models with the same name and version, which must not start.

mod first;
mod second;

pytriton::main!();
