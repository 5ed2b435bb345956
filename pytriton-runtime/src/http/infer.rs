use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use bytes::Bytes;

use crate::heavy::{LIGHT, apart};
use crate::kserve::{
    CodecError, EncodedResponse, HEADER_LENGTH, ResponseFormat, decode_raw_request, decode_request,
    encode_response, header_length,
};
use crate::model::ModelSpec;
use crate::repository::Model;
use crate::request::{
    InferRequest, ParameterValue, Parameters, RequestError, Response as InferResponse,
};
use crate::scheduler::SchedulerError;
use crate::{Error, HeaderForward};

use super::answer::{Failure, parts};
use super::compression::{Encoding, decompress};
use super::{HttpError, HttpState, body, model};

/// Serves one inference request.
pub(super) async fn infer(
    state: &HttpState,
    name: &str,
    version: Option<&str>,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    let model = model::find(&state.repository, name, version).map_err(Failure::plain)?;
    let (body, json_length) = read(state, headers, body).await.map_err(Failure::plain)?;
    let max_depth = state.limits.max_json_depth;
    let decoded = match json_length.unwrap_or_default() {
        ..=LIGHT => decode(model.spec(), &body, json_length, max_depth),
        _ => {
            let model = Arc::clone(model);
            apart(move || decode(model.spec(), &body, json_length, max_depth)).await
        }
    };
    let (mut request, format) = decoded.map_err(|error| Failure::json(Error::from(error)))?;
    forward(&state.forward, headers, &mut request.parameters);
    let response = model.infer(request).await.map_err(failure)?;
    let encoding = Encoding::of_response(headers);
    let text = format.text(&response);
    let encoded = match encoding.map_or(text, |_| response.bytes().saturating_mul(DEFLATED)) {
        ..=LIGHT => encode(model, &format, &response, encoding),
        _ => {
            let model = Arc::clone(model);
            apart(move || encode(&model, &format, &response, encoding)).await
        }
    };
    encoded.map_err(|error| Failure::plain(Error::from(error)))
}

/// How many times longer it takes to compress bytes than to write them.
const DEFLATED: usize = 16;

fn encode(
    model: &Model,
    format: &ResponseFormat,
    response: &InferResponse,
    encoding: Option<Encoding>,
) -> Result<Response, CodecError> {
    let encoded = encode_response(model.spec(), format, response)?;
    Ok(answer(encoded, encoding))
}

/// The body, decompressed, and how much of it is JSON; `None` for a raw request.
async fn read(
    state: &HttpState,
    headers: &HeaderMap,
    body: Body,
) -> Result<(Bytes, Option<usize>), HttpError> {
    let encoding = Encoding::of_request(headers)?;
    let value = headers
        .get(HEADER_LENGTH)
        .map(|value| value.to_str().unwrap_or("unreadable"));
    // Whatever the header says is checked when the size of the body is known.
    let aligned_at = value.map(|value| value.parse().unwrap_or(0));
    let body = match encoding {
        None => body::read(body, headers, state, aligned_at).await?,
        Some(_) => {
            let body = body::read(body, headers, state, None).await?;
            // A kilobyte may become a megabyte.
            let limits = state.limits;
            let body = apart(move || decompress(&body, &limits)).await?;
            match aligned_at {
                Some(at) => body::aligned(&body, at),
                None => Bytes::from(body),
            }
        }
    };
    let length = header_length(value, body.len()).map_err(Error::from)?;
    Ok((body, (value.is_none() || length > 0).then_some(length)))
}

fn decode(
    model: &ModelSpec,
    body: &Bytes,
    json_length: Option<usize>,
    max_depth: usize,
) -> Result<(InferRequest, ResponseFormat), CodecError> {
    match json_length {
        Some(length) => decode_request(body, length, model, max_depth),
        None => decode_raw_request(body, model),
    }
}

fn forward(forward: &HeaderForward, headers: &HeaderMap, parameters: &mut Parameters) {
    if forward.is_empty() {
        return;
    }
    for (name, value) in headers {
        if forward.forwards(name.as_str()) {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            parameters.insert(name.as_str(), ParameterValue::String(value));
        }
    }
}

/// Triton sends errors of the request as JSON and errors of its execution as plain text.
fn failure(error: Error) -> Failure {
    match error {
        Error::Request(RequestError::StringData { .. }) => Failure::plain(error),
        Error::Request(_)
        | Error::Scheduler(SchedulerError::QueueFull { .. } | SchedulerError::Stopping) => {
            Failure::json(error)
        }
        _ => Failure::plain(error),
    }
}

fn answer(encoded: EncodedResponse, encoding: Option<Encoding>) -> Response {
    let mut headers = HeaderMap::with_capacity(4);
    let content_type = HeaderValue::from_static(encoded.content_type());
    headers.insert(CONTENT_TYPE, content_type);
    if let Some(length) = encoded.header_length() {
        headers.insert(HeaderName::from_static(HEADER_LENGTH), length.into());
    }
    if let Some(encoding) = encoding
        && let Ok(body) = encoding.compress(encoded.clone().into_parts())
    {
        let name = HeaderValue::from_static(encoding.name());
        headers.insert(CONTENT_ENCODING, name);
        return parts(headers, std::iter::once(body));
    }
    parts(headers, encoded.into_parts())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_become_parameters() {
        let table = [("", vec![]), ("^x-", vec!["x-a", "x-b"])];
        for (pattern, expected) in table {
            let mut headers = HeaderMap::new();
            for (name, value) in [("X-A", "1"), ("x-b", "b"), ("accept", "*/*")] {
                let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
                headers.insert(name, HeaderValue::from_static(value));
            }
            let mut parameters = Parameters::default();
            forward(
                &HeaderForward::new(pattern).unwrap(),
                &headers,
                &mut parameters,
            );
            let names: Vec<_> = parameters.iter().map(|(name, _)| name).collect();
            assert_eq!(names, expected);
            assert_eq!(parameters.str("x-a").is_some(), !expected.is_empty());
        }
    }
}
