//! `#[derive(Inputs)]`: parse, check, expand.

mod expand;
mod fields;
#[cfg(test)]
mod tests;

pub(crate) use expand::expand;
