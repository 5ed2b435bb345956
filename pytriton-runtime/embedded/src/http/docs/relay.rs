use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, TE, TRANSFER_ENCODING,
    UPGRADE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, response};
use bytes::Bytes;
use futures_util::stream::unfold;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::ModelSpec;
use pytriton_core::tracked_buffer::TrackedBuffer;
use pytriton_core::tracked_bytes::TrackedBytes;
use pytriton_engine::access::Group;
use pytriton_engine::loaded_models::LoadedModels;
use pytriton_kserve::InfoRoute;
use serde_json::json;
use tokio::time::{Instant, timeout_at};

use crate::service::routes::{Endpoint, KserveEndpoint, Route};
use crate::service::{AppState, Error, OpenApiDocument};

use super::super::HttpError;
use super::super::body::{self, Body};
use super::super::events::{Events, event as event_of};
use super::super::response::{Failure, HttpResponse, PLAIN, events, respond};
use super::super::tritonserver_client::{
    Connection, TritonserverClient, TritonserverError, reached,
};

/// The time limit of a request of the page. Longer ones need the port of tritonserver.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(300);

/// Hop-by-hop headers, and headers that this server sets itself.
const OMITTED_HEADERS: [HeaderName; 8] = [
    ACCEPT_ENCODING,
    CONNECTION,
    CONTENT_LENGTH,
    EXPECT,
    HOST,
    TE,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// Forwards requests of the docs page to a tritonserver on this machine, because the page may only
/// contact its own port.
pub struct Relay {
    /// The client of tritonserver.
    pub client: Arc<TritonserverClient>,
    /// The metrics address of tritonserver.
    pub metrics: Option<SocketAddr>,
    /// The models that tritonserver has loaded.
    pub models: LoadedModels,
    /// The OpenAPI document of the page.
    pub document: OpenApiDocument,
}

/// A response that is being received.
struct PendingResponse {
    // Declared before the connection, which can be reused once this has been read.
    body: Incoming,
    deadline: Instant,
    _connection: Connection,
}

impl Relay {
    /// Forwards a KServe request of the page.
    pub(in crate::http) async fn forward_call<B: Body>(
        &self,
        app_state: &AppState,
        route: &Route,
        parts: &Parts,
        body: B,
    ) -> Result<HttpResponse, Failure> {
        let is_readiness =
            route.endpoint == Endpoint::Kserve(KserveEndpoint::Info(InfoRoute::ServerReady));
        if is_readiness && app_state.models.is_stopping() {
            // tritonserver learns about the stop a moment later.
            return Ok(respond(
                StatusCode::BAD_REQUEST,
                PLAIN,
                TrackedBytes::default(),
            ));
        }
        let read = body::read(body, &parts.headers, app_state, None).await;
        let body = read.map_err(Failure::json)?.into_tracked().into_bytes();
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = parts.method.clone();
        *request.uri_mut() = (parts.uri.path())
            .parse()
            .map_err(|_| Failure::plain(HttpError::NotFound))?;
        for (name, value) in parts
            .headers
            .iter()
            .filter(|(name, _)| !OMITTED_HEADERS.contains(name))
        {
            request.headers_mut().append(name.clone(), value.clone());
        }
        let [operation, ..] = route.operations else {
            return Err(Failure::plain(HttpError::NotFound));
        };
        self.forward(app_state, request, operation.group()).await
    }

    async fn forward(
        &self,
        app_state: &AppState,
        mut request: Request<Full<Bytes>>,
        group: Group,
    ) -> Result<HttpResponse, Failure> {
        let opened = self.client.open_group(&mut request, group);
        opened.map_err(|error| unavailable(&TritonserverError::disconnected(error)))?;
        let (head, response) = PendingResponse::of(self.client.connect(), request).await?;
        let kind = head.headers.get(CONTENT_TYPE);
        if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
            let limit = app_state.limits.max_request_bytes;
            let permit = app_state.models.budget().empty_permit();
            return Ok(events(head.status, response.events(limit, permit)));
        }
        response
            .complete(app_state, head.status, &head.headers)
            .await
    }

    /// Returns the models that tritonserver has loaded, by name and version.
    pub(super) fn loaded(&self) -> Result<Vec<Arc<ModelSpec>>, Failure> {
        let loaded = self.models.loaded();
        let loaded = loaded.map_err(|away| unavailable(&TritonserverError::disconnected(away)))?;
        Ok(loaded.into_iter().map(Arc::clone).collect())
    }

    /// Returns tritonserver's metrics.
    pub(super) async fn metrics(&self, app_state: &AppState) -> Result<HttpResponse, Failure> {
        let address = self.metrics.map(reached);
        let address = address.ok_or_else(|| Failure::plain(HttpError::NotFound))?;
        let request = Request::get("/metrics").header(HOST, address.to_string());
        let request = request.body(Full::default());
        let request =
            request.map_err(|error| unavailable(&TritonserverError::disconnected(error)))?;
        let connect = self.client.connect_to(address);
        let (head, response) = PendingResponse::of(connect, request).await?;
        let plain = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(PLAIN))]);
        response.complete(app_state, head.status, &plain).await
    }
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relay")
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

impl PendingResponse {
    /// Sends a request on a new connection, and waits for the head of its response.
    async fn of(
        connect: impl Future<Output = Result<Connection, TritonserverError>>,
        request: Request<Full<Bytes>>,
    ) -> Result<(response::Parts, Self), Failure> {
        let deadline = Instant::now() + REQUEST_TIMEOUT;
        let mut connection = connect.await.map_err(|error| unavailable(&error))?;
        let (head, body) = match timeout_at(deadline, connection.send(request)).await {
            Ok(Ok(response)) => response.into_parts(),
            Ok(Err(error)) => return Err(unavailable(&TritonserverError::disconnected(error))),
            Err(_) => return Err(unavailable(&TritonserverError::Late)),
        };
        let response = Self {
            body,
            deadline,
            _connection: connection,
        };
        Ok((head, response))
    }

    async fn next(&mut self) -> Option<Result<Bytes, TritonserverError>> {
        loop {
            let frame = match timeout_at(self.deadline, self.body.frame()).await {
                Ok(frame) => frame?,
                Err(_) => return Some(Err(TritonserverError::Late)),
            };
            match frame.map(|frame| frame.into_data()) {
                Ok(Ok(data)) => return Some(Ok(data)),
                Ok(Err(_)) => {}
                Err(error) => return Some(Err(TritonserverError::disconnected(error))),
            }
        }
    }

    /// Creates a response that is sent once it has arrived completely.
    async fn complete(
        mut self,
        app_state: &AppState,
        status: StatusCode,
        headers: &HeaderMap,
    ) -> Result<HttpResponse, Failure> {
        let limit = app_state.limits.max_request_bytes;
        let mut body = TrackedBuffer::new(app_state.models.budget().empty_permit());
        while let Some(data) = self.next().await {
            let data = data.map_err(|error| unavailable(&error))?;
            if data.len() > limit - body.as_slice().len() {
                return Err(unavailable(&TritonserverError::TooLarge));
            }
            body.extend_from_slice(&data)
                .map_err(|error| Failure::json(Error::from(error)))?;
        }
        let mut response = respond(status, PLAIN, body.freeze());
        let forwarded = [
            CONTENT_TYPE,
            HeaderName::from_static("inference-header-content-length"),
        ];
        for name in forwarded {
            if let Some(value) = headers.get(&name) {
                response.headers_mut().insert(name, value.clone());
            }
        }
        Ok(response)
    }

    /// Creates a response of events. Each is sent once it is complete, because keep-alive comments
    /// may be inserted between events. `permit` grows with the events.
    fn events(self, most: usize, permit: MemoryPermit) -> Events {
        let event = TrackedBuffer::new(permit);
        let others = unfold(Some((self, event)), move |state| async move {
            let (mut response, mut event) = state?;
            let cut = loop {
                let length = event.as_slice().len();
                match response.next().await {
                    Some(Ok(data)) if data.len() <= most - length => {
                        if let Err(error) = event.extend_from_slice(&data) {
                            break error.to_string();
                        }
                        if event.as_slice().ends_with(b"\n\n") {
                            let text = event.take().freeze();
                            return Some((text, Some((response, event))));
                        }
                    }
                    None if length == 0 => return None,
                    None => return Some((event.freeze(), None)),
                    Some(Ok(_)) => break TritonserverError::TooLarge.to_string(),
                    Some(Err(error)) => break error.to_string(),
                }
            };
            // Without this event, the client would take the truncated stream for a complete one.
            let error = json!({ "error": cut });
            let error = event_of(error.to_string().into_bytes());
            Some((TrackedBytes::short(&error), None))
        });
        Events::pending(others)
    }
}

fn unavailable(error: &TritonserverError) -> Failure {
    let message = error.to_string();
    Failure::json(HttpError::Tritonserver { message })
}
