use std::sync::Arc;

use super::collector::Collector;

/// Where traces go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// Into a file, as records; nowhere where it has no name.
    File(String),
    /// To a collector, as spans.
    Collector(Arc<Collector>),
}

impl Destination {
    /// Whether there is one.
    pub(super) fn is_given(&self) -> bool {
        match self {
            Self::File(path) => !path.is_empty(),
            Self::Collector(_) => true,
        }
    }

    /// The name of the mode that has it.
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
