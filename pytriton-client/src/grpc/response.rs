use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::Response;
use hyper::http::response::Parts;
use hyper::http::{HeaderMap, StatusCode};
use tonic::Code;

use crate::request::Model;
use crate::transport::ResponseBody;
use crate::{ClientError, Status, gzip};

use super::framing::Arriving;

const STATUS: &str = "grpc-status";

/// Returns the message of a successful unary response.
pub(super) async fn read(
    response: Response<ResponseBody>,
    model: &Model,
) -> Result<Bytes, ClientError> {
    let (head, mut body) = response.into_parts();
    begun(&head, model)?;
    let mut arriving = Arriving::default();
    let mut trailers = HeaderMap::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| error.0)?;
        match frame.into_data() {
            Ok(data) => arriving.push(&data)?,
            Err(frame) => trailers = frame.into_trailers().unwrap_or_default(),
        }
    }
    ended(head.status, &trailers, model)?;
    match arriving.finish()? {
        (true, message) => gzip::decompress(message, 0).await,
        (false, message) => Ok(message),
    }
}

/// Checks the head of a response, which contains the status if it is also the end.
pub(super) fn begun(head: &Parts, model: &Model) -> Result<(), ClientError> {
    if head.headers.contains_key(STATUS) || head.status != StatusCode::OK {
        ended(head.status, &head.headers, model)?;
    }
    Ok(())
}

/// Checks the status at the end of a call.
pub(super) fn ended(
    status: StatusCode,
    trailers: &HeaderMap,
    model: &Model,
) -> Result<(), ClientError> {
    if trailers.get(STATUS).is_some_and(|code| code == "0") {
        return Ok(());
    }
    let (code, message) = match tonic::Status::from_header_map(trailers) {
        Some(status) => (status.code(), status.message().to_owned()),
        None => (
            without(status),
            format!("the response has the HTTP status {status} and no gRPC status"),
        ),
    };
    Err(ClientError::server(
        &model.to_string(),
        Status::Grpc(code.into()),
        message,
    ))
}

/// Returns the gRPC status that corresponds to an HTTP status, if there is no other.
fn without(status: StatusCode) -> Code {
    match status.as_u16() {
        400 => Code::Internal,
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::Unimplemented,
        429 | 502..=504 => Code::Unavailable,
        _ => Code::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use hyper::http::HeaderValue;

    use super::*;

    #[test]
    fn final_status_is_reported() {
        let model = Model {
            name: "Linear".to_owned(),
            version: String::new(),
        };
        let trailers = |pairs: &[(&'static str, &'static str)], status: u16| {
            let pairs = pairs.iter().copied();
            let headers = pairs
                .map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value)))
                .collect();
            ended(StatusCode::from_u16(status).unwrap(), &headers, &model)
        };
        assert_eq!(trailers(&[(STATUS, "0")], 200), Ok(()));
        let failed = |code, message: &str| {
            let message = message.to_owned();
            Err(ClientError::Server {
                status: Status::Grpc(code),
                message,
            })
        };
        let words = ("grpc-message", "too%20much");
        assert_eq!(
            trailers(&[(STATUS, "8"), words], 200),
            failed(8, "too much")
        );
        for (status, code) in [(404, 12), (503, 14), (500, 2), (200, 2)] {
            assert!(matches!(
                trailers(&[], status),
                Err(ClientError::Server { status: Status::Grpc(found), .. }) if found == code
            ));
        }
    }
}
