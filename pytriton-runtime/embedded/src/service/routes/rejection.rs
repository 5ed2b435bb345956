use axum::http::Method;

use crate::service::Restricted;

/// Why a request does not reach a handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// It has too many headers.
    Headers { count: usize, limit: usize },
    /// Its path and headers have too many bytes.
    HeadTooLarge { bytes: usize, limit: usize },
    /// The port has no route with the path.
    NotFound,
    /// The route belongs to a restricted group.
    Restricted(Restricted),
    /// The route does not support the method.
    Method { allowed: &'static [Method] },
}
