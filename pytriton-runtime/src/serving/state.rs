use std::sync::Arc;

/// What Triton says of a model that was taken out and has nothing left to answer.
const UNLOADED: &str = "unloaded";

/// Where a version is between being there and serving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// Nobody has asked for it yet.
    New,
    Loading,
    Serving,
    /// Answers what it has accepted; the number is that of the unloading.
    Unloading(u64),
    Unavailable(Arc<str>),
}

/// A line of the repository index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// The model.
    pub name: Arc<str>,
    /// Its version and state; `None` where nobody has asked for the model yet.
    pub version: Option<IndexedVersion>,
}

/// A version in the repository index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedVersion {
    /// Its number.
    pub number: u32,
    /// As Triton calls it.
    pub state: &'static str,
    /// Why it is in that state; empty where there is nothing to say.
    pub reason: Arc<str>,
}

impl State {
    /// That of a model that cannot be loaded.
    pub(super) fn failed(reason: &str) -> Self {
        Self::Unavailable(reason.into())
    }

    /// That of a model that was loaded in vain, because another version could not be.
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

    /// Whether nothing is wrong with the version: it serves, or is not wanted. `ready` says so of one that serves.
    pub(super) fn is_well(&self, ready: impl FnOnce() -> bool) -> bool {
        match self {
            Self::New => true,
            Self::Serving => ready(),
            Self::Loading | Self::Unloading(_) => false,
            Self::Unavailable(reason) => **reason == *UNLOADED,
        }
    }
}
