use std::fmt::Debug;

use crate::error::Error;
use crate::model::ModelSpec;
use crate::tensor::Tensor;

/// Makes the outputs of groups equal in all dims except the first, so that rows of different groups
/// can be combined in one response.
pub trait Padder: Debug + Send + Sync {
    /// Returns the maximum memory of the outputs that [`pad`](Self::pad) creates, in bytes. It is
    /// reserved before the call. If the outputs take more, the rest is reserved afterwards.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`], with which the requests of these groups fail.
    fn pad_bytes(
        &self,
        model: &ModelSpec,
        groups: &[&mut [Option<Tensor>]],
    ) -> Result<usize, Error> {
        let _ = (model, groups);
        Ok(0)
    }

    /// Changes the outputs of each group, which are in the order of the model. An output that the
    /// function has omitted is `None`.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`], with which the requests of these groups fail.
    fn pad(&self, model: &ModelSpec, groups: &mut [&mut [Option<Tensor>]]) -> Result<(), Error>;
}
