//! The routes of Vertex AI and of SageMaker, each on a port of its own: a request there is one of the KServe API at another path,
//! and goes to its router as that, so that whatever holds there holds here.
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

use crate::reception::Reception;

use super::answer::Answer;
use super::body::Body;

pub(crate) use sagemaker::{Ping, SageMaker};
pub(crate) use vertex_ai::VertexAi;

/// A platform that has routes of its own.
#[derive(Debug, Clone)]
pub(crate) enum Platform {
    VertexAi(Arc<VertexAi>),
    SageMaker(Arc<SageMaker>),
}

impl Platform {
    /// Whether the path asks how the server is.
    pub(crate) fn is_health(&self, path: &str) -> bool {
        match self {
            Self::VertexAi(routes) => routes.is_health(path),
            Self::SageMaker(_) => SageMaker::is_health(path),
        }
    }

    /// Answers a request that comes to the platform's port.
    pub(crate) async fn answer<B: Body>(
        &self,
        reception: &Reception,
        request: Request<B>,
    ) -> Answer {
        match self {
            Self::VertexAi(routes) => routes.answer(reception, request).await,
            Self::SageMaker(routes) => routes.answer(reception, request).await,
        }
    }
}
