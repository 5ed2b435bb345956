use std::error::Error;

use crate::transport::TransportError;
use crate::{ClientError, Status};

/// What a call ended with: a connection's error, or the server's words.
pub(super) fn failed(model: &str, status: &tonic::Status) -> ClientError {
    match status.source().and_then(TransportError::within) {
        Some(error) => error.0.clone(),
        None => ClientError::server(
            model,
            Status::Grpc(status.code().into()),
            status.message().to_owned(),
        ),
    }
}
