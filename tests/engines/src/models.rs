//! Models of the end-to-end tests, without their crate, which needs the tritonserver engine.

mod abused;
#[path = "../../models/src/identities.rs"]
mod identities;
mod inline;
#[path = "../../models/src/ledger.rs"]
mod ledger;

pytriton::main!();
