//! Random faults under load: no response is wrong, and none is lost without an error.

mod fault;
mod record;
mod run;
mod tests;
