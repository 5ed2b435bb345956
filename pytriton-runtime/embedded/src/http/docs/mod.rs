//! The interactive docs page: a form for every model, and live metrics.
//!
//! `/docs` is a single static document, the same for every server. Its script requests
//! `/openapi.json`, which describes the models, and the routes that the user tries. The page itself
//! therefore needs no token, but all data that it shows does if its group is restricted. The
//! sources are in `page/` and are assembled here.

mod handler;
mod page;
mod relay;
#[cfg(test)]
mod relay_tests;
#[cfg(test)]
mod tests;

pub(super) use handler::{handle, handle_relayed};
pub use relay::Relay;
