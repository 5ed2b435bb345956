use super::NoTritonserver;

/// The requested engine is not available.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// This binary has no embedded engine.
    #[error(
        "this binary has no embedded engine: it is built without the feature `embedded` of pytriton"
    )]
    NoEmbedded,
    /// This binary has no tritonserver engine.
    #[error(transparent)]
    NoTritonserver(#[from] NoTritonserver),
    /// tritonserver listens on its own ports, so it cannot serve a router.
    #[error(
        "tritonserver serves its own ports and cannot serve a router: use the embedded engine, or call `run`"
    )]
    Router,
    /// The routes of the program need the HTTP port of the server, which is not opened.
    #[error(
        "the program has a router, but the server opens no port: call `run`, or add the routes to the router of the application"
    )]
    NoPort,
    /// tritonserver listens on its own ports, so it cannot serve a part of the program.
    #[error(
        "the program has a {part}, which tritonserver cannot serve on its ports: use `--engine embedded`, or remove the {part}"
    )]
    Part {
        /// The part of the program.
        part: &'static str,
    },
}
