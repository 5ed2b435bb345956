//! Runs networks with tract.

mod datum_type;
mod input_tensor;
mod plan;
mod proto;
mod shape_plans;

pub(crate) use plan::Plan;

/// The name of the runtime in errors.
const RUNTIME: &str = "tract";
