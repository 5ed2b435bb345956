use std::io;

use pytriton_client::{ClientError, TensorError};
use thiserror::Error;

/// An error that prevents a measurement.
#[derive(Debug, Error)]
pub(crate) enum Error {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error(transparent)]
    Tensor(#[from] TensorError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("an answer has not the elements of its request")]
    Answer,
    #[error("what asks has ended before it was done")]
    Ended,
    #[error("the kernel does not say what processors have done for the process")]
    Processors,
}
