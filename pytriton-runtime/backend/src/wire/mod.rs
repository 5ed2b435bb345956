//! What the two sides write to each other about tensors: numbers and names, no tensors. Pure.
//!
//! A batch is described request by request; the tensors of one input lie one behind the other, in the order of the
//! requests, so that together they are the batch's tensor. Whoever reads a description has copied it before, and takes
//! no number of it for granted.

mod answer;
mod batch;
mod batch_reader;
mod batch_writer;
mod error;
mod message;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use answer::{AnswerWriter, Contents, Part};
pub use batch::{Batch, BatchRequest, Correlation, InputPart, Parameter, Sequence, Span};
pub use batch_reader::BatchReader;
pub use batch_writer::BatchWriter;
pub use error::WireError;
pub use message::{Answer, Down, Up};
pub use reader::Reader;
pub use writer::Writer;
