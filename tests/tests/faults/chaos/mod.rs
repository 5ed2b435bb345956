//! Everything at once, at random: under load, whatever happens, no answer is wrong and none is lost without an error.

mod fault;
mod record;
mod run;
mod tests;
