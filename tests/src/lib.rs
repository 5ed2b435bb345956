//! Utilities for the end-to-end tests: servers on free ports, a Python with NVIDIA's client, and
//! deadlines for both.

mod banner;
mod cargo;
mod engine;
mod environment;
mod error;
mod foreign;
mod native;
mod outside;
mod perf_analyzer;
mod process;
mod python;
mod released;
mod server;

pub use banner::Banner;
pub use engine::{Engine, triton_builder, tritonserver};
pub use error::{HarnessError, Result};
pub use foreign::Foreign;
pub use outside::Outside;
pub use perf_analyzer::PerfAnalyzer;
pub use process::{Finished, finish};
pub use python::Python;
pub use released::released;
pub use server::Server;
