/// An error that prevents a measurement.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Http2(#[from] h2::Error),
    #[error(transparent)]
    Request(#[from] http::Error),
    #[error(transparent)]
    Task(#[from] tokio::task::JoinError),
    #[error("{came} answers came instead of {expected}")]
    Answers { expected: i64, came: i64 },
    #[error("the call ended with the gRPC status {0}")]
    Status(String),
    #[error("process {0} does not say how much memory it has")]
    Process(u32),
}
