//! What happened to a request and when, of those that are sampled: records in a file, or spans for a collector, as Triton has
//! them.
//!
//! A request that is sampled has a [`Timeline`], in which the rooms note what they do. When nobody has it any longer a thread of
//! its own writes it down. Where no level is on, the whole of it is one look at a flag.

mod collector;
mod config;
mod destination;
mod elements;
mod error;
mod file;
mod layer;
mod number;
mod output;
mod record;
mod records;
mod sampler;
mod settings;
mod spans;
mod tracer;
mod writer;

pub use collector::Collector;
pub use config::trace_config;
pub use destination::Destination;
pub use error::{TraceConfigError, TraceError};
pub use record::Timeline;
pub use settings::{Change, TraceChanges, TraceLevel, TraceSettings};
pub use tracer::Tracer;
