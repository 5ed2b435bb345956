//! The models of a pytriton crate as a Python module: the implementation of `pytriton::python!()`.
//!
//! - `module`: the contents of the module; `signature`: the text of `help`;
//!   `stub`: the types of the functions.
//! - `argument`, `input`, `datatype`: conversion of numpy arrays to request tensors;
//!   `borrowed_buffer`: without a copy if possible; `borrow_scope`: for the duration of a call.
//! - `engine`: the models, loaded once per process; `wait`: waiting without the GIL; `serve`,
//!   `handle`: serving on ports; `termination`: signals.
//! - `output`, `form`: conversion of tensors to numpy arrays; `responses`: streams of them.
//! - `error`: errors as Python exceptions; `validation_error`: errors before a model is called.
//!
//! A call follows the path of a request after decoding: it is validated, queued and batched with
//! calls of other threads, and it gets the same errors.

mod argument;
mod borrow_scope;
#[expect(unsafe_code, reason = "Python's buffers are read without its lock")]
mod borrowed_buffer;
mod call;
mod datatype;
mod engine;
mod error;
mod form;
mod handle;
mod import_name;
mod input;
mod module;
mod output;
mod responses;
mod serve;
mod signature;
mod stub;
mod termination;
mod validation_error;
mod wait;

pub use module::export;
pub use pyo3;
