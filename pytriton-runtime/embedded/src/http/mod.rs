//! The HTTP service: limits, compression and headers around the codecs of [`pytriton_kserve`].
//!
//! Paths, status codes, content types and messages are those of Triton 2.51. The table of
//! [`routes`](crate::service) is used instead of a router because Triton does not decode paths and
//! does not respond to `HEAD`.

mod body;
mod compression;
mod content;
mod control;
mod docs;
mod error;
mod events;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod fuzzing;
mod generate;
#[cfg(test)]
mod generate_tests;
mod head;
#[cfg(test)]
mod held_tests;
mod infer;
mod info;
mod load;
mod logging;
mod metrics;
mod openai;
#[cfg(test)]
mod paths_tests;
mod platform;
mod response;
mod response_trace;
#[cfg(test)]
mod restricted_tests;
mod router;
mod shared_memory;
mod standby;
#[cfg(test)]
mod tests;
mod text_cache;
mod trace;
mod traced;
mod tritonserver_client;

pub(crate) use content::Content;
pub use docs::Relay;
pub use error::HttpError;
pub use metrics::{Metrics, metrics_router};
pub use openai::{TextModels, Upstream};
pub use platform::{Ping, Platform, SageMaker, VertexAi};
pub(crate) use router::{handle, handle_docs_port, handle_openai_port, handle_parts, refusal};
pub use tritonserver_client::TritonserverClient;
