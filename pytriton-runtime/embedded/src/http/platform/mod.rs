//! The routes of Vertex AI and SageMaker, each on its own port. A request is mapped to another path
//! of the KServe API and handled by its router, so that the same rules apply.
//!
//! Source: `vertex_ai_server.cc` and `sagemaker_server.cc` of Triton 2.51.

mod binary;
mod request;
mod sagemaker;
#[cfg(test)]
mod tests;
mod vertex_ai;

use std::sync::Arc;

use axum::http::Request;
use pytriton_engine::port::Port;

use crate::service::AppState;

use super::body::Body;
use super::response::HttpResponse;

pub use sagemaker::{Ping, SageMaker};
pub use vertex_ai::VertexAi;

/// A platform with its own routes.
#[derive(Debug, Clone)]
pub enum Platform {
    /// Vertex AI.
    VertexAi(Arc<VertexAi>),
    /// SageMaker.
    SageMaker(Arc<SageMaker>),
}

impl Platform {
    /// Returns the port of the platform.
    pub(crate) const fn port(&self) -> Port {
        match self {
            Self::VertexAi(_) => Port::VertexAi,
            Self::SageMaker(_) => Port::SageMaker,
        }
    }

    /// Returns the path by which the table of routes knows a path of the platform's port.
    pub(crate) fn table_path<'a>(&self, path: &'a str) -> &'a str {
        match self {
            Self::VertexAi(routes) => routes.table_path(path),
            Self::SageMaker(_) => SageMaker::table_path(path),
        }
    }

    /// Serves a request on the platform's port.
    pub(crate) async fn handle<B: Body>(
        &self,
        app_state: &AppState,
        request: Request<B>,
    ) -> HttpResponse {
        match self {
            Self::VertexAi(routes) => routes.handle(app_state, request).await,
            Self::SageMaker(routes) => routes.handle(app_state, request).await,
        }
    }
}
