//! `#[derive(Outputs)]`: parse, check, expand.

mod expand;
mod fields;
mod returned;
#[cfg(test)]
mod tests;

pub(crate) use expand::expand;
