//! What a server says of its model.

mod json;
mod metadata;
mod model_config;
mod proto;

pub use model_config::{ModelConfig, TensorConfig};
