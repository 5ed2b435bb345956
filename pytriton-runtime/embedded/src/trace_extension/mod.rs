//! Triton's trace extension: the timestamps of sampled requests, as records in a file or spans for
//! a collector.
//!
//! A sampled request has a [`Timeline`], in which each stage records its events. After the last
//! reference is dropped, a separate thread writes it. If no level is enabled, the cost is one check
//! of a flag.

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
pub use error::TraceConfigError;
pub use record::Timeline;
pub use settings::TraceSettings;
pub use tracer::Tracer;
