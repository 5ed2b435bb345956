use crate::failure::{Code, Failure};
use crate::session::SessionError;

/// Converts an error to the failure that clients receive.
pub(super) fn failure(error: &SessionError) -> Failure {
    let code = match error {
        SessionError::Closed
        | SessionError::Unavailable
        | SessionError::Memory(_)
        | SessionError::Io(_) => Code::Unavailable,
        SessionError::Protocol(_) | SessionError::ReaderEnded | SessionError::Refused(_) => {
            Code::Internal
        }
    };
    Failure::new(code, error.to_string())
}
