use std::fmt;
use std::sync::Arc;

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use pytriton_core::memory_budget::{MemoryBudgetError, MemoryPermit};
use pytriton_core::model::ModelSpec;
use pytriton_engine::access::Group;
use pytriton_engine::loaded_models::LoadedModels;
use pytriton_engine::side_channel::SideChannel;
use pytriton_kserve::openai::{CLAIM, OpenAiError};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::service::Error;

use super::super::tritonserver_client::{Connection, TritonserverClient, TritonserverError};
use super::upstream_responses::{Forwarded, UpstreamResponses, no_response, unavailable};

/// The maximum size of an error response of tritonserver.
const MAX_ERROR_BYTES: usize = 64 << 10;

/// A tritonserver on this machine that serves models of this process.
///
/// Requests are sent to it, so that its scheduler and its statistics apply. The responses arrive
/// through [`SideChannel`].
pub struct Upstream {
    client: Arc<TritonserverClient>,
    models: LoadedModels,
    side_channel: Arc<SideChannel>,
}

impl Upstream {
    /// Creates a client.
    pub fn new(
        client: Arc<TritonserverClient>,
        models: LoadedModels,
        side_channel: Arc<SideChannel>,
    ) -> Self {
        Self {
            client,
            models,
            side_channel,
        }
    }

    /// Returns the latest version of a model that is loaded now.
    pub(super) fn latest(&self, name: &str) -> Result<Option<&Arc<ModelSpec>>, OpenAiError> {
        self.models.latest(name).map_err(|away| unavailable(&away))
    }

    /// Returns the models that are loaded now, by name and version.
    pub(super) fn loaded(&self) -> Result<Vec<&Arc<ModelSpec>>, OpenAiError> {
        self.models.loaded().map_err(|away| unavailable(&away))
    }

    /// Sends a request to a model: a JSON object and additional headers. Memory for it is reserved
    /// with `permit`.
    pub(super) fn ask(
        self: &Arc<Self>,
        spec: &Arc<ModelSpec>,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: &[u8],
        mut permit: MemoryPermit,
    ) -> Result<UpstreamResponses, OpenAiError> {
        let claim = self.side_channel.claim();
        let body = claimed(body, claim.number(), &mut permit).map_err(Error::from)?;
        let (upstream, asked) = (Arc::clone(self), Arc::clone(spec));
        let mut asking = JoinSet::new();
        asking.spawn(async move {
            let _permit = permit;
            upstream.forward(&asked, headers, body).await
        });
        Ok(UpstreamResponses::new(claim, asking))
    }

    async fn forward(
        &self,
        spec: &ModelSpec,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Vec<u8>,
    ) -> Forwarded {
        let connected = self.client.connect().await;
        let mut connection = connected.map_err(|error| match error {
            TritonserverError::Full => full(),
            other => no_response(&other),
        })?;
        let asked = self.send(spec, headers, body, &mut connection).await;
        let response = asked.map_err(|error| unavailable(&error))?;
        match response.status() {
            StatusCode::OK => {}
            // The model has been unloaded meanwhile.
            StatusCode::NOT_FOUND => {
                let model = spec.name.to_string();
                return Err(OpenAiError::UnknownModel { model });
            }
            _ => return Err(refusal(response).await),
        }
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            frame.map_err(|error| unavailable(&error))?;
        }
        Ok(())
    }

    async fn send(
        &self,
        spec: &ModelSpec,
        headers: Vec<(HeaderName, HeaderValue)>,
        body: Vec<u8>,
        connection: &mut Connection,
    ) -> Result<Response<Incoming>, Box<dyn std::error::Error + Send + Sync>> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(format!("/v2/models/{}/generate_stream", spec.name));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let mut request = request.body(Full::new(Bytes::from(body)))?;
        self.client.open_group(&mut request, Group::Inference)?;
        connection.send(request).await
    }
}

fn full() -> OpenAiError {
    OpenAiError::Failed {
        status: 503,
        message: TritonserverError::Texts.to_string(),
        retry_after: None,
    }
}

/// Adds the number of a claim to a JSON object. Memory for the result is reserved with `permit`.
fn claimed(
    body: &[u8],
    number: &str,
    permit: &mut MemoryPermit,
) -> Result<Vec<u8>, MemoryBudgetError> {
    let members = body.strip_prefix(b"{").unwrap_or(body);
    let comma = if members.starts_with(b"}") { "" } else { "," };
    let claim = format!("{{\"{CLAIM}\":\"{number}\"{comma}");
    let bytes = claim.len() + members.len();
    permit.grow(bytes)?;
    let mut claimed = Vec::with_capacity(bytes);
    claimed.extend_from_slice(claim.as_bytes());
    claimed.extend_from_slice(members);
    Ok(claimed)
}

/// Returns why tritonserver has refused or not executed a request.
async fn refusal(response: Response<Incoming>) -> OpenAiError {
    let status = match is_stream(&response) {
        // Triton 2.51 uses one status for all failures. Errors of the model arrive through the
        // claim.
        true => StatusCode::SERVICE_UNAVAILABLE,
        false => response.status(),
    };
    let body = Limited::new(response.into_body(), MAX_ERROR_BYTES);
    let body = body.collect().await.map(|body| body.to_bytes());
    let body = body.unwrap_or_default();
    let body = body.strip_prefix(b"data: ").unwrap_or(&body);
    let mut body = serde_json::from_slice(body).unwrap_or(Value::Null);
    let message = match body.get_mut("error").map(Value::take) {
        Some(Value::String(error)) => error,
        _ => TritonserverError::Status(status).to_string(),
    };
    let status = status.as_u16();
    OpenAiError::Failed {
        status,
        message,
        retry_after: None,
    }
}

/// Returns whether a response comes from a model.
fn is_stream(response: &Response<Incoming>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream")
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "upstream_tests.rs"]
mod tests;
