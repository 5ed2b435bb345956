use std::pin::pin;
use std::sync::Arc;

use futures_util::future::Either;
use pytriton_core::maybe_ready::{later, now};
use pytriton_core::offload::{by_weight, is_light};
use pytriton_core::request::{InferRequest, Request, Response};
use pytriton_core::shared_memory::{Regions, SharedMemoryError};
use pytriton_engine::trace::{Scope, scope_of};
use pytriton_engine::{HeaderForward, Limits};
use pytriton_kserve::CodecError;
use pytriton_protocol::tensor::DataType;

use crate::access_log::attach;
use crate::repository::{Model, ModelRepository, ModelResponses};

use super::{AccessControl, Error, OpenApiDocument};

/// The shared state of the HTTP and gRPC services.
#[derive(Debug, Clone)]
pub struct AppState {
    /// The name of the server.
    pub id: Arc<str>,
    /// The models.
    pub models: Arc<ModelRepository>,
    /// The limits of requests.
    pub limits: Limits,
    /// The headers that become parameters of a request.
    pub forward: HeaderForward,
    /// The access rules.
    pub access_control: AccessControl,
    /// The registered shared-memory regions.
    pub regions: Arc<Regions>,
    /// Whether inferences report to the access log.
    pub access_log: bool,
    /// The document of the docs page, or `None` if the page is not served.
    pub docs: Option<Arc<OpenApiDocument>>,
}

/// The number of data bytes that take as long to check as the name of an input or output.
const BYTES_PER_NAME: usize = 64;

/// How many times faster the bytes of a `BOOL` input are checked than those of strings.
const BOOL_WEIGHT_DIVISOR: usize = 16;

impl AppState {
    /// Returns whether a model of this process has OpenAI routes.
    pub(crate) fn has_texts(&self) -> bool {
        self.models.has(|spec| spec.openai.is_some())
    }

    /// Checks a request, queues it and returns its response.
    ///
    /// # Errors
    ///
    /// Returns the [`Error`] of the layer that refused the request.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future cancels the request: it leaves the queue, or its response is dropped.
    pub fn infer<'a>(
        &'a self,
        model: &'a Model,
        mut request: InferRequest,
    ) -> impl Future<Output = Result<Response, Error>> + Send + use<'a> {
        if self.access_log {
            attach(&mut request);
        }
        let scope = scope_of(request.trace.as_deref());
        let watched = request.traced.is_some() || request.shared.is_some();
        let watched = watched || request.arrival.is_some();
        if watched || !is_light(weight(&request)) {
            return later(self.infer_watched(model, request, scope));
        }
        let checked = {
            let _within = (!scope.is_none()).then(|| scope.enter());
            Request::check(model.spec(), request).map(|request| model.infer(request))
        };
        match checked {
            Err(error) => {
                scope.fail(&error);
                now(Err(error.into()))
            }
            Ok(Either::Left(response)) => {
                let response = response.into_inner().inspect_err(|error| scope.fail(error));
                now(response.map_err(Error::from))
            }
            Ok(Either::Right(response)) => later(async move {
                let response = scope.around(pin!(response)).await;
                Ok(response.inspect_err(|error| scope.fail(error))?)
            }),
        }
    }

    /// Like [`infer`](Self::infer), for requests that are traced, have to wait for earlier ones of
    /// their connection, or are expensive to check.
    async fn infer_watched(
        &self,
        model: &Model,
        request: InferRequest,
        scope: Scope,
    ) -> Result<Response, Error> {
        let result = pin!(async {
            let request = self.checked(model, request).await?;
            let timeline = request.traced().cloned();
            let outcome = model.infer(request).await;
            if let Some(timeline) = timeline {
                if let Ok(response) = &outcome {
                    timeline.responded(model.spec(), response);
                }
                timeline.now("REQUEST_END");
            }
            Ok(outcome?)
        });
        let result = scope.around(result).await;
        result.inspect_err(|error| scope.fail(error))
    }

    /// Like [`infer`](Self::infer), but returns the responses as they are produced. A decoupled
    /// model may send any number.
    ///
    /// # Errors
    ///
    /// Returns the [`Error`] of the layer that refused the request.
    pub async fn stream_infer(
        &self,
        model: &Arc<Model>,
        mut request: InferRequest,
    ) -> Result<ModelResponses, Error> {
        if self.access_log {
            attach(&mut request);
        }
        let scope = scope_of(request.trace.as_deref());
        let asked = pin!(async {
            let request = self.checked(model, request).await?;
            Ok(model.stream_infer(request)?)
        });
        let responses = scope.around(asked).await;
        let responses = responses.inspect_err(|error: &Error| scope.fail(error))?;
        Ok(responses.within(scope))
    }

    async fn checked(&self, model: &Model, mut request: InferRequest) -> Result<Request, Error> {
        // A check of a large request may take longer than those of later requests.
        if let Some(arrival) = &request.arrival {
            arrival.turn().await;
        }
        if request.shared.is_some() {
            request = Box::pin(self.fetched(request)).await?;
        }
        let weight = weight(&request);
        let spec = Arc::clone(model.spec());
        let request = by_weight(weight, move || Request::check(&spec, request)).await?;
        if let Some(trace) = request.traced() {
            trace.waits(&request);
        }
        Ok(request)
    }

    /// Reads the inputs that are in shared memory.
    async fn fetched(&self, mut request: InferRequest) -> Result<InferRequest, Error> {
        let limit = self.limits.max_request_bytes;
        let shared = request.shared.as_ref();
        let weight = shared.map_or(0, |shared| shared.input_bytes());
        let fetch = move || {
            if let Some(shared) = &request.shared {
                shared.fetch(limit, |index, data| {
                    if let Some(input) = request.inputs.get_mut(index) {
                        input.data = data;
                    }
                })?;
            }
            Ok(request)
        };
        let fetched: Result<_, SharedMemoryError> = by_weight(weight, fetch).await;
        Ok(fetched.map_err(CodecError::from)?)
    }
}

/// Returns the cost of checking a request, in units of bytes.
fn weight(request: &InferRequest) -> usize {
    let scanned = request.inputs.iter().map(|input| match input.datatype {
        DataType::Bytes => input.data.len(),
        DataType::Bool => input.data.len() / BOOL_WEIGHT_DIVISOR,
        _ => 0,
    });
    let scanned: usize = scanned.sum();
    let names = request.inputs.len() + request.outputs.len();
    scanned.saturating_add(names.saturating_mul(BYTES_PER_NAME))
}
