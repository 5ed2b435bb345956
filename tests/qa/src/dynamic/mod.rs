//! Models that are defined at run time: those whose signatures the suites generate (every
//! combination of datatypes, ranks and numbers of inputs), and those that a suite uses under one
//! name with several configurations. All other models are annotated functions.

mod functions;
mod numbers;
mod sequences;
mod spec;

pub(crate) use spec::Spec;
