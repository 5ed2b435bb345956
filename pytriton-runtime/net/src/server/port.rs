use std::convert::Infallible;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{Either, ready};
use http::header::CONNECTION;
use http::request::Parts;
use http::{HeaderValue, Request, Response, Version};
use hyper::body::{Body, Incoming};
use pytriton_core::memory_budget::{MemoryBudget, MemoryBudgetError, MemoryPermit};

use crate::server::connection_state::ConnectionState;
use crate::server::receive_windows::ReceiveWindow;
use crate::server::response_body::ResponseBody;
use crate::tls::ClientCertificate;
use crate::{HostCheck, HttpService, Refusal, RequestBody, check_head};

/// The memory of a header in addition to its name and value: its entry in the map, and the overhead
/// of allocations.
pub(crate) const HEADER_BYTES: usize = 192;

/// The service of a port, and the requests that the port refuses.
#[derive(Debug)]
pub(crate) struct Port<S> {
    pub(crate) service: S,
    /// Reserves the heads of HTTP/2 requests.
    pub(crate) budget: Arc<MemoryBudget>,
    /// Reserves the heads of HTTP/2 health requests if `budget` is exhausted.
    pub(crate) health_budget: Arc<MemoryBudget>,
    /// If set, this many connections are open already, and only health requests are served.
    pub(crate) exhausted: Option<u32>,
    pub(crate) hosts: HostCheck,
}

impl<S: HttpService> Port<S> {
    /// Passes a request to the service, or refuses it. The certificate of the client becomes an
    /// extension of the request.
    ///
    /// Not an `async fn`: it runs in order of arrival, while the future may run in any order. The
    /// end of the request body may be read before the future is polled.
    pub(crate) fn respond(
        &self,
        service: &S,
        request: Request<Incoming>,
        state: &ConnectionState,
        window: Option<&ReceiveWindow>,
        certificate: Option<&ClientCertificate>,
    ) -> impl Future<Output = Result<Response<ResponseBody<S::Body>>, Infallible>> + Send + use<S>
    {
        let stream = state.open(request.version());
        let http1 = request.version() < Version::HTTP_2;
        let (mut head, body) = request.into_parts();
        if let Some(certificate) = certificate {
            head.extensions.insert(certificate.clone());
        }
        let (permit, unread, refusal) = match self.admit(&head, &body, window) {
            Ok((permit, unread)) => (permit, unread, None),
            Err(refusal) => (None, None, Some(refusal)),
        };
        let body = RequestBody::new(body, stream.handle().clone(), unread);
        let close = http1 && (refusal.is_some() || self.exhausted.is_some());
        // The future of the service is large, so it is moved as rarely as possible.
        let response = match refusal {
            None => Either::Left(service.call(head, body)),
            Some(refusal) => Either::Right(ready(service.refuse(&head, refusal))),
        };
        response.map(move |mut response| {
            // The memory of the head is reserved until the response begins.
            drop(permit);
            if stream.respond() || close {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(CONNECTION, close);
            }
            Ok(response.map(|body| ResponseBody::new(body, stream, !http1)))
        })
    }

    /// Checks the head of a request. Returns the reservations of its memory and of the unread bytes
    /// of its body, if they are needed.
    fn admit(
        &self,
        head: &Parts,
        body: &Incoming,
        window: Option<&ReceiveWindow>,
    ) -> Result<(Option<MemoryPermit>, Option<MemoryPermit>), Refusal> {
        // An HTTP/1 connection reserves the memory of its only head and body itself.
        let (permit, unread) = match window {
            None => (None, None),
            Some(window) => {
                let unread = window.unreserved(body.size_hint().upper());
                (
                    Some(self.reserve(head)?),
                    self.reserve_unread(head, unread)?,
                )
            }
        };
        let host = check_head(head.version, &head.headers)?;
        self.hosts.check(head, host)?;
        match self.exhausted {
            Some(limit) if !self.service.is_health(head) => Err(Refusal::Connections { limit }),
            _ => Ok((permit, unread)),
        }
    }

    /// Reserves the memory of the head of an HTTP/2 request.
    fn reserve(&self, head: &Parts) -> Result<MemoryPermit, MemoryBudgetError> {
        let bytes = head_bytes(head);
        self.budget.permit(bytes).or_else(|exhausted| {
            let permit = match self.service.is_health(head) {
                true => self.health_budget.permit(bytes),
                false => Err(exhausted),
            };
            permit.map_err(|_| exhausted)
        })
    }

    /// Reserves the bytes of a body that may wait to be read. Those of health requests are few.
    fn reserve_unread(
        &self,
        head: &Parts,
        bytes: usize,
    ) -> Result<Option<MemoryPermit>, MemoryBudgetError> {
        match bytes == 0 || self.service.is_health(head) {
            true => Ok(None),
            false => self.budget.permit(bytes).map(Some),
        }
    }
}

/// The memory for the heads of health requests if the memory budget is exhausted.
const HEALTH_HEADS_BYTES: usize = 1 << 20;

/// Returns the budget for the heads of health requests.
pub(crate) fn health_budget() -> Arc<MemoryBudget> {
    MemoryBudget::new(HEALTH_HEADS_BYTES)
}

/// Returns the memory that the path and the headers of a request take.
fn head_bytes(head: &Parts) -> usize {
    let headers = head.headers.iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + HEADER_BYTES);
    head.uri.path().len() + headers.sum::<usize>()
}
