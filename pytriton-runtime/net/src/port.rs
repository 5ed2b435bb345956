use std::sync::Arc;

use http::Version;
use http::request::Parts;

use pytriton_core::memory_budget::{MemoryBudget, MemoryPermit};

use crate::{HostCheck, HttpService, Refusal, check_head};

/// The memory of a header in addition to its name and value: its entry in the map, and the overhead
/// of allocations.
const HEADER_BYTES: usize = 192;

/// The service of a port, and the requests that the port refuses.
#[derive(Debug)]
pub(crate) struct Port<S> {
    pub(crate) service: S,
    /// Reserves the heads of HTTP/2 requests.
    pub(crate) budget: Arc<MemoryBudget>,
    /// If set, this many connections are open already, and only health requests are served.
    pub(crate) exhausted: Option<u32>,
    pub(crate) hosts: HostCheck,
}

impl<S: HttpService> Port<S> {
    /// Checks the head of a request. Returns the reservation of its memory, if it needs one.
    pub(crate) fn admit(&self, head: &Parts) -> Result<Option<MemoryPermit>, Refusal> {
        // An HTTP/1 connection has one head, whose buffer is limited. An HTTP/2 connection has many.
        let permit = match head.version < Version::HTTP_2 {
            true => None,
            false => Some(self.budget.permit(head_bytes(head))?),
        };
        let host = check_head(head.version, &head.headers)?;
        self.hosts.check(head, host)?;
        match self.exhausted {
            Some(limit) if !self.service.is_health(head) => Err(Refusal::Connections { limit }),
            _ => Ok(permit),
        }
    }
}

/// Returns the memory that the path and the headers of a request take.
fn head_bytes(head: &Parts) -> usize {
    let headers = head.headers.iter();
    let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + HEADER_BYTES);
    head.uri.path().len() + headers.sum::<usize>()
}
