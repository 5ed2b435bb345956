use pytriton_engine::Limits;

use crate::service::routes::{BodySize, Route};

use super::GrpcError;

/// The maximum size of requests that contain only names or nothing.
const MAX_SMALL_BYTES: usize = 4 << 10;

/// The maximum size of requests that change settings or register shared memory.
const MAX_SETTINGS_BYTES: usize = 64 << 10;

/// The limit of a request message, as received and after decompression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MessageLimit {
    pub(super) bytes: usize,
    /// The method that sets the limit; `None` for `--grpc-max-input-size`.
    method: Option<&'static str>,
}

impl MessageLimit {
    /// Returns the limit of a method. `--grpc-max-input-size` applies to every method.
    pub(super) fn new(route: &'static Route, limits: &Limits) -> Self {
        let fixed = match route.body {
            BodySize::Unread | BodySize::Small => MAX_SMALL_BYTES,
            BodySize::Settings => MAX_SETTINGS_BYTES,
            BodySize::Input => return Self::input(limits),
        };
        if fixed > limits.max_request_bytes {
            return Self::input(limits);
        }
        Self {
            bytes: fixed,
            method: Some(route.name()),
        }
    }

    /// Returns the limit set by `--grpc-max-input-size`.
    pub(super) fn input(limits: &Limits) -> Self {
        Self {
            bytes: limits.max_request_bytes,
            method: None,
        }
    }

    /// Returns the error for a larger message.
    pub(super) fn error(self) -> GrpcError {
        let limit = self.bytes;
        match self.method {
            Some(method) => GrpcError::MethodTooLarge { method, limit },
            None => GrpcError::TooLarge { limit },
        }
    }
}
