//! A model's configuration as reported by its server.

mod json;
mod metadata;
mod model_config;
mod proto;

pub use model_config::{ModelConfig, TensorConfig};
