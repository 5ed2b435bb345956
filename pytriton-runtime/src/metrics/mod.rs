//! Prometheus metrics under Triton's names: statistics to text. Those of no name of Triton's begin with `pytriton_`
//! or, of the process, with `process_`. Pure but for a look at `/proc`.

mod cache;
mod certificates;
mod config;
mod family;
mod latencies;
mod load;
mod models;
mod process;
mod system;

pub use cache::cache_exposition;
pub use certificates::certificate_exposition;
pub use config::{MetricsConfig, MetricsConfigError};
pub use latencies::latencies_exposition;
pub use load::{load_exposition, spans_exposition};
pub use models::exposition;
pub use process::process_exposition;
pub use system::System;
