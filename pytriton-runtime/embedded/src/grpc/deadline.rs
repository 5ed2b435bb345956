use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::HeaderMap;
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

use super::{GrpcError, GrpcResponse};

/// The header with the timeout of the call.
const TIMEOUT: &str = "grpc-timeout";

/// The maximum number of digits.
const DIGITS: usize = 8;

/// Returns the deadline of the client, or `None` if there is no valid timeout.
pub(super) fn deadline(headers: &HeaderMap) -> Option<Instant> {
    let value = headers.get(TIMEOUT)?.to_str().ok()?;
    Instant::now().checked_add(timeout(value)?)
}

/// Cancels a call at its deadline.
pub(super) async fn until(
    deadline: Instant,
    call: impl Future<Output = GrpcResponse>,
) -> GrpcResponse {
    match timeout_at(deadline, call).await {
        Ok(response) => response.until(deadline),
        Err(_) => GrpcError::Deadline.into(),
    }
}

fn timeout(value: &str) -> Option<Duration> {
    let (digits, unit) = value.split_at_checked(value.len().checked_sub(1)?)?;
    if digits.len() > DIGITS || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count * 3600)),
        "M" => Some(Duration::from_secs(count * 60)),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

/// A body that ends with a status at the deadline.
#[derive(Debug)]
pub(super) struct Until {
    body: Body,
    /// `None` after the deadline.
    time: Option<Pin<Box<Sleep>>>,
}

impl Until {
    pub(super) fn new(body: Body, deadline: Instant) -> Self {
        Self {
            body,
            time: Some(Box::pin(sleep_until(deadline))),
        }
    }
}

impl HttpBody for Until {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(mut time) = self.time.take() else {
            return Poll::Ready(None);
        };
        // Checked first, because a body that is always ready would never end.
        if time.as_mut().poll(context).is_ready() {
            self.body = Body::empty();
            let mut trailers = HeaderMap::new();
            let status = tonic::Status::from(GrpcError::Deadline);
            let written = status.add_header(&mut trailers).map_err(axum::Error::new);
            return Poll::Ready(Some(written.map(|()| Frame::trailers(trailers))));
        }
        self.time = Some(time);
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.time.is_none() || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grpc_timeouts_are_parsed() {
        let table = [
            ("1H", Some(Duration::from_secs(3600))),
            ("2M", Some(Duration::from_secs(120))),
            ("30S", Some(Duration::from_secs(30))),
            ("99999999m", Some(Duration::from_millis(99_999_999))),
            ("5u", Some(Duration::from_micros(5))),
            ("0n", Some(Duration::ZERO)),
            ("100000000S", None),
            ("-1S", None),
            ("1", None),
            ("S", None),
            ("1ä", None),
            ("", None),
        ];
        for (value, expected) in table {
            assert_eq!(timeout(value), expected, "{value}");
        }
    }
}
