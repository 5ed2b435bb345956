use std::time::Duration;

use super::ErrorKind;

/// The kind and the retry time of an [`Error`](super::Error).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) kind: ErrorKind,
    pub(super) retry_after: Option<Duration>,
}

impl Attributes {
    /// Those of an error without a kind.
    pub(super) const INTERNAL: Self = Self {
        kind: ErrorKind::Internal,
        retry_after: None,
    };
}
