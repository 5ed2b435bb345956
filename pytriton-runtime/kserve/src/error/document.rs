use thiserror::Error;

/// Why the body of a request to the server itself is invalid. The messages are Triton's.
///
/// Source: `TritonJson` of Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The body is not valid JSON.
    #[error("failed to parse the request JSON buffer: {message}")]
    Json {
        /// The message of the parser.
        message: String,
    },
    /// A member has the wrong type.
    #[error("attempt to access JSON non-{kind} as {kind}")]
    Kind {
        /// The expected type.
        kind: &'static str,
    },
    /// A required member is missing.
    #[error("attempt to access non-existing object member '{member}'")]
    Missing {
        /// The member.
        member: &'static str,
    },
}
