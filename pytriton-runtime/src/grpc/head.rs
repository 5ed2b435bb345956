use axum::http::Request;

use super::GrpcError;

/// What HTTP/2 counts for a field beside its name and its value.
const FIELD: usize = 32;

/// `:method` with `POST`, `:scheme` with `http`, and the names of the path and the authority.
const PSEUDO: usize = 2 * (11 + FIELD) + 5 + FIELD + 10 + FIELD;

/// Refuses a call of more metadata than `limit` bytes, its path included.
pub(super) fn check_head<B>(request: &Request<B>, limit: usize) -> Result<(), GrpcError> {
    let (uri, headers) = (request.uri(), request.headers());
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
