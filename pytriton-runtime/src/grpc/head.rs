use axum::http::Request;

use crate::Limits;

use super::GrpcError;

/// The overhead that HTTP/2 counts for each field.
const FIELD: usize = 32;

/// `:method` with `POST`, `:scheme` with `http`, and the names of the path and the authority.
const PSEUDO: usize = 2 * (11 + FIELD) + 5 + FIELD + 10 + FIELD;

/// Refuses a call if its metadata has too many items or bytes, including the path.
pub(super) fn check_head<B>(request: &Request<B>, limits: &Limits) -> Result<(), GrpcError> {
    let (uri, headers) = (request.uri(), request.headers());
    let (count, limit) = (headers.len(), limits.max_headers);
    if count > limit {
        return Err(GrpcError::Headers { count, limit });
    }
    let limit = limits.max_header_bytes;
    let path = uri.path_and_query().map_or(0, |path| path.as_str().len());
    let authority = uri.authority().map_or(0, |name| name.as_str().len());
    let headers = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + FIELD);
    let bytes = PSEUDO + path + authority + headers.sum::<usize>();
    match bytes > limit {
        true => Err(GrpcError::Metadata { bytes, limit }),
        false => Ok(()),
    }
}
