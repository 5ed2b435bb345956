use thiserror::Error;

/// Why the server stopped waiting for the rest of a request body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BodyError {
    /// No data arrived in time.
    #[error("no more of the request body came for {seconds} seconds")]
    Stalled {
        /// How long the server waited.
        seconds: u64,
    },
    /// Data arrives too slowly.
    #[error("the request body came more slowly than {rate} bytes a second")]
    Slow {
        /// The minimum rate in bytes per second.
        rate: u32,
    },
    /// The server is stopping, and the request has not arrived completely.
    #[error("Server is stopping, the request body did not come in time")]
    Stopping,
}
