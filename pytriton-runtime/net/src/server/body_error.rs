use thiserror::Error;

/// Why the server stopped waiting for the rest of a request body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BodyError {
    /// No data arrived in time.
    #[error("no data of the request body arrived for {seconds} seconds")]
    Stalled {
        /// How long the server waited.
        seconds: u64,
    },
    /// Data arrives too slowly.
    #[error("the request body arrived more slowly than {rate} bytes per second")]
    Slow {
        /// The minimum rate in bytes per second.
        rate: u32,
    },
    /// The server is stopping, and the request has not arrived completely.
    #[error("Server is stopping, the request body did not arrive in time")]
    Stopping,
}
