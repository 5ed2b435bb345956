//! Models that are defined at run time, as an alternative to `#[pytriton::model]`.
//!
//! A [`Model`] describes a model. Its methods correspond to the options of the macro. A
//! [`Function`] processes the requests. [`Triton::bind`](crate::Triton::bind) serves both:
//!
//! ```
//! use pytriton::Triton;
//! use pytriton::ndarray::Ix2;
//! use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let triton = Triton::builder().free_ports().build()?;
//! let double = Model::new("Double")
//!     .max_batch_size(16)
//!     .input(Input::new::<f32>("x", [-1]))
//!     .output(Output::new::<f32>("y", [-1]));
//! triton.bind(double, Function::new(PerBatch, |call| Ok(&call.array::<f32, Ix2>("x")? * 2.0)))?;
//! # Ok(())
//! # }
//! ```

pub use pytriton_runtime::runtime_models::{
    CallUnit, Function, FunctionCall, FunctionMode, Input, IntoOutputs, IntoResponses, Model,
    Named, Output, PerBatch, PerRequest, Raw, StackedUnit, Stateful,
};
