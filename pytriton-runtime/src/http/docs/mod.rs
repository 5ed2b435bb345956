//! The interactive docs page: a form for every model, and live metrics.
//!
//! `/docs` is a single static document, the same for every server. Its script requests
//! `/openapi.json`, which describes the models, and the routes that the user tries. The page itself
//! therefore needs no token, but all data that it shows does if its group is restricted. The
//! sources are in `page/` and are assembled here.

mod cached_text;
mod handler;
mod openapi_document;
mod page;
mod page_routes;
#[cfg(tritonserver)]
mod relay;
#[cfg(test)]
#[cfg(tritonserver)]
mod relay_tests;
#[cfg(test)]
mod tests;

#[cfg(tritonserver)]
pub(crate) use handler::answer_on_own_port;
pub(super) use handler::{answer, is_route};
pub(crate) use openapi_document::OpenApiDocument;
pub(crate) use page_routes::{answer_alone, is_used_by_page};
#[cfg(tritonserver)]
pub(crate) use relay::Relay;
