//! The descriptions that the two sides exchange about tensors: numbers and names, no tensors. Pure.
//!
//! A batch is described request by request. The tensors of one input are contiguous in the order of
//! the requests, so that together they are the tensor of the batch. A reader copies a description
//! before it reads it, and validates every number.

mod batch;
mod batch_reader;
mod batch_writer;
#[cfg(test)]
mod bounds_tests;
mod error;
mod message;
mod reader;
mod response;
#[cfg(test)]
mod tests;
mod writer;

pub use batch::{Batch, BatchRequest, Correlation, InputPart, Parameter, Sequence, Span};
pub use batch_reader::BatchReader;
pub use batch_writer::BatchWriter;
pub use error::ProtocolError;
pub use message::{ResponseMessage, ToServer, ToWorker};
pub use reader::Reader;
pub use response::{OutputPart, ResponseContents, ResponseWriter};
pub use writer::Writer;
