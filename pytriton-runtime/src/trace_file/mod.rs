//! What happened to a request and when, of those that are sampled: records in a file, as Triton writes them.
//!
//! A request that is sampled has a [`Timeline`], in which the rooms note what they do. When nobody has it any longer a thread of
//! its own writes it down. Where no level is on, the whole of it is one look at a flag.

mod config;
mod elements;
mod error;
mod file;
mod number;
mod record;
mod sampler;
mod settings;
mod tracer;
mod writer;

pub use config::trace_config;
pub use error::{TraceConfigError, TraceError};
pub use record::Timeline;
pub use settings::{Change, TraceChanges, TraceLevel, TraceSettings};
pub use tracer::Tracer;
