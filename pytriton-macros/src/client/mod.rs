//! `client!`: types for the models of a lock file.

mod expand;
mod file;
mod names;
#[cfg(test)]
mod tests;

pub(crate) use expand::expand;
