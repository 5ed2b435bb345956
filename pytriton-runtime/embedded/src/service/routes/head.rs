use axum::http::{HeaderMap, Uri};
use pytriton_engine::port::Port;
use pytriton_net::ConnectionLimits;

use super::Rejection;

/// The overhead that HTTP/2 counts for each field.
const FIELD_BYTES: usize = 32;

/// `:method` with `POST`, `:scheme` with `http`, and the names of the path and the authority.
const PSEUDO_BYTES: usize = 2 * (11 + FIELD_BYTES) + 5 + FIELD_BYTES + 10 + FIELD_BYTES;

/// Refuses a request with too many headers, or with too many bytes in its path and headers.
pub(super) fn check_head(
    port: Port,
    uri: &Uri,
    headers: &HeaderMap,
    limits: &ConnectionLimits,
) -> Result<(), Rejection> {
    let (count, limit) = (headers.len(), limits.max_headers);
    if count > limit {
        return Err(Rejection::Headers { count, limit });
    }
    let path = uri.path_and_query().map_or(0, |path| path.as_str().len());
    let fields = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len());
    let (bytes, limit) = (path + fields.sum::<usize>(), limits.max_header_bytes);
    let bytes = match port {
        // gRPC counts as HTTP/2 does.
        Port::Grpc => {
            let authority = uri.authority().map_or(0, |name| name.as_str().len());
            bytes + PSEUDO_BYTES + authority + count * FIELD_BYTES
        }
        _ => bytes,
    };
    match bytes > limit {
        true => Err(Rejection::HeadTooLarge { bytes, limit }),
        false => Ok(()),
    }
}
