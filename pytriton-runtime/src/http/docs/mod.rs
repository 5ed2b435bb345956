//! The interactive docs page: a form for every model, and live metrics.
//!
//! `/docs` is a single static document, the same for every server. Its script requests
//! `/openapi.json`, which describes the models, and the routes that the user tries. The page itself
//! therefore needs no token, but all data that it shows does if its group is restricted. The
//! sources are in `page/` and are assembled here.

mod asked;
mod door;
mod kept;
mod page;
#[cfg(tritonserver)]
mod relay;
#[cfg(test)]
#[cfg(tritonserver)]
mod relay_tests;
#[cfg(test)]
mod tests;
mod written;

pub(crate) use asked::{answer_alone, is_asked};
#[cfg(tritonserver)]
pub(crate) use door::answer_beside;
pub(super) use door::{answer, is_route};
#[cfg(tritonserver)]
pub(crate) use relay::Relay;
pub(crate) use written::Written;
