//! The service of a port: it finds the routes of a request, and joins their bodies in one type.

mod body;
mod router;
mod routes;
mod service;

pub use body::PortBody;
pub(crate) use router::models_router;
pub use routes::PortRoutes;
pub use service::{PortService, serve};
