use std::sync::Arc;

/// Triton's reason for a model that was unloaded and has completed its requests.
const UNLOADED: &str = "unloaded";

/// The state of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// A load has not been requested yet.
    New,
    Loading,
    Serving,
    /// The version completes accepted requests. The number identifies the unload.
    Unloading(u64),
    Unavailable(Arc<str>),
}

/// An entry of the repository index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// The name of the model.
    pub name: Arc<str>,
    /// The version and its state, or `None` if a load has not been requested yet.
    pub version: Option<IndexedVersion>,
}

/// A version in the repository index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedVersion {
    /// The version number.
    pub number: u32,
    /// The state, as Triton names it.
    pub state: &'static str,
    /// The reason for the state, or an empty string.
    pub reason: Arc<str>,
}

impl State {
    /// Returns the state of a model that cannot be loaded.
    pub(super) fn failed(reason: &str) -> Self {
        Self::Unavailable(reason.into())
    }

    /// Returns the state of a model that was unloaded, or not put into service because another
    /// version failed.
    pub(super) fn unloaded() -> Self {
        Self::failed(UNLOADED)
    }

    pub(super) fn indexed(&self, number: u32, ready: impl FnOnce() -> bool) -> IndexedVersion {
        let (state, reason) = match self {
            Self::New => ("UNKNOWN", "".into()),
            Self::Loading => ("LOADING", "".into()),
            Self::Serving if ready() => ("READY", "".into()),
            Self::Serving => ("UNAVAILABLE", "no instance is left".into()),
            Self::Unloading(_) => ("UNLOADING", "".into()),
            Self::Unavailable(reason) => ("UNAVAILABLE", Arc::clone(reason)),
        };
        IndexedVersion {
            number,
            state,
            reason,
        }
    }

    /// Returns whether the version serves and is ready, or is not wanted. `ready` tests a serving
    /// version.
    pub(super) fn is_healthy(&self, ready: impl FnOnce() -> bool) -> bool {
        match self {
            Self::New => true,
            Self::Serving => ready(),
            Self::Loading | Self::Unloading(_) => false,
            Self::Unavailable(reason) => **reason == *UNLOADED,
        }
    }
}
