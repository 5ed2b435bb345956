//! `client!`: the models of a lock file as types.

mod expand;
mod file;
mod names;
#[cfg(test)]
mod tests;

pub(crate) use expand::expand;
