use std::pin::pin;
use std::sync::Arc;

use axum::http::HeaderMap;
use futures_util::future::Either;

use crate::heavy::{by_weight, is_light};
use crate::http::Written;
use crate::kserve::CodecError;
use crate::request::{InferRequest, Request, Response};
use crate::serving::{Answers, Model, ModelSet};
use crate::shared_memory::{Regions, SharedMemoryError};
use crate::soon::{later, now};
use crate::tensor::DataType;
use crate::trace::{Scope, scope_of};
use crate::{HeaderForward, Limits};

use super::{Error, Gate, Operation, Patience, Restricted};

/// What a door needs to know.
#[derive(Debug, Clone)]
pub struct Reception {
    /// The models.
    pub models: Arc<ModelSet>,
    /// The limits of a request.
    pub limits: Limits,
    /// Which headers become parameters of a request.
    pub forward: HeaderForward,
    /// Who may ask for what.
    pub gate: Gate,
    /// The memory that clients share.
    pub regions: Arc<Regions>,
    /// The document that the page for people is made from; `None` where there is no page.
    pub(crate) docs: Option<Arc<Written>>,
}

/// How many bytes of data take as long to check as the name of an input or output.
const NAME: usize = 64;

/// How many times faster the bytes of a `BOOL` input are checked than those of strings.
const BOOL_SPEED: usize = 16;

impl Reception {
    /// Lets a request pass, or not. Both doors ask this of whatever they have a route for, before they look at anything but its
    /// path and headers.
    ///
    /// # Errors
    ///
    /// [`Restricted`], which names the header that it must have.
    pub(crate) fn admit(
        &self,
        operation: Operation,
        headers: &HeaderMap,
    ) -> Result<(), Restricted> {
        self.gate.admit(operation, headers)
    }

    /// Whether the process answers at all; it does as long as it can be asked.
    pub fn live(&self) -> bool {
        true
    }

    /// Whether every model takes requests and the server is not stopping.
    pub fn ready(&self) -> bool {
        self.models.ready()
    }

    /// Waits for the pieces of one body.
    pub(crate) fn patience(&self) -> Patience {
        Patience::new(&self.limits, &self.models)
    }

    /// Checks a request, lets it wait its turn, and returns its response.
    ///
    /// # Errors
    ///
    /// The [`Error`] of the room where the request ended.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the request up: it leaves the queue, or its response is not heard.
    pub fn infer<'a>(
        &'a self,
        model: &'a Model,
        request: InferRequest,
    ) -> impl Future<Output = Result<Response, Error>> + Send + use<'a> {
        let scope = scope_of(request.trace.as_deref());
        let watched = request.traced.is_some() || request.shared.is_some();
        if watched || !is_light(weight(&request)) {
            return later(self.infer_watched(model, request, scope));
        }
        let checked = {
            let _within = (!scope.is_none()).then(|| scope.enter());
            Request::check(model.spec(), request).map(|request| model.ask(request))
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

    /// The same of a request of which is told what happens to it, or that takes some time to check.
    async fn infer_watched(
        &self,
        model: &Model,
        request: InferRequest,
        scope: Scope,
    ) -> Result<Response, Error> {
        let answered = pin!(async {
            let request = self.checked(model, request).await?;
            let timeline = request.traced().cloned();
            let outcome = model.infer(request).await;
            if let Some(timeline) = timeline {
                if let Ok(response) = &outcome {
                    timeline.answered(model.spec(), response);
                }
                timeline.now("REQUEST_END");
            }
            Ok(outcome?)
        });
        let answered = scope.around(answered).await;
        answered.inspect_err(|error| scope.fail(error))
    }

    /// The same, but returns the answers as they come; there may be any number where the model is decoupled.
    ///
    /// # Errors
    ///
    /// The [`Error`] of the room where the request was refused.
    pub async fn answers(
        &self,
        model: &Arc<Model>,
        request: InferRequest,
    ) -> Result<Answers, Error> {
        let scope = scope_of(request.trace.as_deref());
        let asked = pin!(async {
            let request = self.checked(model, request).await?;
            Ok(model.answers(request)?)
        });
        let answers = scope.around(asked).await;
        let answers = answers.inspect_err(|error: &Error| scope.fail(error))?;
        Ok(answers.within(scope))
    }

    async fn checked(&self, model: &Model, mut request: InferRequest) -> Result<Request, Error> {
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

    /// The same request with those of its inputs that are in shared memory.
    async fn fetched(&self, mut request: InferRequest) -> Result<InferRequest, Error> {
        let limit = self.limits.max_request_bytes;
        let shared = request.shared.as_ref();
        let weight = shared.map_or(0, |shared| shared.input_bytes());
        let fetch = move || {
            if let Some(shared) = &request.shared {
                shared.fetch(&mut request.inputs, limit)?;
            }
            Ok(request)
        };
        let fetched: Result<_, SharedMemoryError> = by_weight(weight, fetch).await;
        Ok(fetched.map_err(CodecError::from)?)
    }
}

/// How much there is to check, as if it were bytes.
fn weight(request: &InferRequest) -> usize {
    let scanned = request.inputs.iter().map(|input| match input.datatype {
        DataType::Bytes => input.data.len(),
        DataType::Bool => input.data.len() / BOOL_SPEED,
        _ => 0,
    });
    let scanned: usize = scanned.sum();
    let names = request.inputs.len() + request.outputs.len();
    scanned.saturating_add(names.saturating_mul(NAME))
}
