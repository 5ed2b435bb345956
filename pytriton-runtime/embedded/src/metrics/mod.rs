//! Prometheus metrics under Triton's names: statistics to text. Other metrics start with
//! `pytriton_` or, for the process, with `process_`. Pure except for reading `/proc`.

mod cache;
mod calls;
mod certificates;
mod config;
mod family;
mod latencies;
mod load;
mod models;
mod openmetrics;
mod process;
mod program;
mod system;

pub use cache::cache_exposition;
pub use calls::calls_exposition;
pub use certificates::certificate_exposition;
pub use config::{MetricsConfig, MetricsConfigError};
pub use latencies::latencies_exposition;
pub use load::{load_exposition, spans_exposition};
pub use models::exposition;
pub use process::process_exposition;
pub use program::{ProgramMetrics, ProgramMetricsError};
pub use system::System;
