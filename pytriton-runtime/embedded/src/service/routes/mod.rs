//! The routes of all protocols in one table, and the admission that every request passes.
//!
//! A row of [`table`] describes a route: its paths and methods, the ports that serve it, the
//! operations that determine its access groups, the format of its errors, the limit of its body,
//! and whether it is a probe. The services, the ports, and the documentation are derived from it.
//!
//! [`admit`] is the only way from a request to its handler. It checks the limits of the head, finds
//! the row, and checks access and the method, in this order. It is a function and not a stack of
//! tower layers: a layer is a service whose future contains that of the next one, and the future of
//! an inference request must stay small and unboxed. Limits of bodies and the deadline of a gRPC
//! call apply while the handler runs.

mod admission;
mod endpoint;
mod head;
mod pattern;
mod rejection;
mod route;
mod table;
#[cfg(test)]
mod tests;

pub use admission::is_used_by_page;
pub(crate) use admission::{admit, check_access, error_format, is_probe};
pub(crate) use endpoint::{
    DocsEndpoint, Endpoint, KserveEndpoint, OpenAiEndpoint, RegionAction, Rpc, SageMakerEndpoint,
    VertexAiEndpoint,
};
pub(crate) use pattern::Params;
pub(crate) use rejection::Rejection;
pub(crate) use route::{BodySize, ErrorFormat, Route, RouteMatch};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use table::all;
pub(crate) use table::{AIP_HEALTH_ROUTE, AIP_PREDICT_ROUTE, MODELS, find, find_method};
