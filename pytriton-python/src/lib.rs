//! The models of a pytriton crate as a Python module: what `pytriton::python!()` makes of a library.
//!
//! - `module`: what the module has; `signature`: what `help` says of a model.
//! - `argument`, `input`, `datatype`: numpy's arrays as the tensors of a request; `lent`: without a copy where that is
//!   possible, `loan`: for as long as a call goes on.
//! - `engine`: the models, loaded once a process; `wait`: waiting without Python's lock; `serve`, `handle`: ports for them;
//!   `termination`: until when.
//! - `output`, `form`: tensors as numpy's arrays; `answers`: many of them, as they come.
//! - `error`: what went wrong, as Python has it; `mistake`: what is wrong before a model is asked.
//!
//! A call goes the way of a request behind the doors: it is checked, waits, is gathered into a batch with those of other threads,
//! and is told the same of its mistakes.

mod answers;
mod argument;
mod call;
mod datatype;
mod engine;
mod error;
mod form;
mod handle;
mod input;
#[expect(unsafe_code, reason = "memory of Python's is read outside of its lock")]
mod lent;
mod loan;
mod mistake;
mod module;
mod output;
mod serve;
mod signature;
mod termination;
mod wait;

pub use module::export;
pub use pyo3;
