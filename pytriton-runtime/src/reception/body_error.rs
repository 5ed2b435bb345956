use thiserror::Error;

/// Why the rest of a body is not waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BodyError {
    /// Nothing more of it came.
    #[error("no more of the request body came for {seconds} seconds")]
    Stalled {
        /// How long that was waited for.
        seconds: u64,
    },
    /// It comes, but too slowly.
    #[error("the request body came more slowly than {rate} bytes a second")]
    Slow {
        /// The least number of bytes.
        rate: u32,
    },
    /// The server stops, and the request has not come.
    #[error("Server is stopping, the request body did not come in time")]
    Stopping,
}
