use std::sync::Arc;

use super::collector::Collector;

/// The destination of traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A file of records; none if its name is empty.
    File(String),
    /// A collector of spans.
    Collector(Arc<Collector>),
}

impl Destination {
    /// Returns whether there is a destination.
    pub(super) fn is_given(&self) -> bool {
        match self {
            Self::File(path) => !path.is_empty(),
            Self::Collector(_) => true,
        }
    }

    /// Returns the name of the mode.
    pub(super) fn mode(&self) -> &'static str {
        match self {
            Self::File(_) => "triton",
            Self::Collector(_) => "opentelemetry",
        }
    }
}

impl Default for Destination {
    fn default() -> Self {
        Self::File(String::new())
    }
}
