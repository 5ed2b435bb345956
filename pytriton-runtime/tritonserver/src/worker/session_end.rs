use pytriton_backend::session::{Server, SessionError};
use pytriton_core::model::ModelSpec;

/// The way in which a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionEnd {
    /// tritonserver or this side closed it.
    Closed,
    /// It broke; tritonserver opens another.
    Broken,
}

impl SessionEnd {
    /// Closes a session that is broken. `served` is the result of serving it.
    pub(super) fn of(server: &Server, spec: &ModelSpec, served: &Result<(), SessionError>) -> Self {
        match served {
            Ok(()) | Err(SessionError::Closed) => Self::Closed,
            Err(error) => {
                let model = &*spec.name;
                tracing::warn!(model, %error, "a session with tritonserver failed");
                server.close();
                Self::Broken
            }
        }
    }
}
