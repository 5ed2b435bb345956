use std::fmt;
use std::sync::Arc;

use crate::error::Error;
use crate::model::ModelSpec;
use crate::tensor::Tensor;

use super::Batch;

/// Groups of row indexes that are called separately. Each row is in exactly one group. An empty
/// list leaves the batch unchanged.
pub type Groups = Vec<Vec<usize>>;

/// The steps of a model in the order in which they are written.
pub(crate) type Steps = Arc<[Arc<dyn Step>]>;

/// A step around the function. `#[step(MyStep { … })]` accepts a value of any type that implements
/// this trait.
///
/// The requests receive the status and message of an [`Error`]. `?` converts other errors to the
/// kind [`Internal`](crate::error::ErrorKind::Internal). Those of [`Batch`] keep their status.
///
/// # Memory
///
/// Inputs that [`Batch::array`] decodes are reserved in the server's memory budget before they are
/// decoded. Outputs are reserved before they are created, up to the sizes that
/// [`finish_bytes`](Self::finish_bytes) and [`join_bytes`](Self::join_bytes) return. All other
/// memory of a step is like that of the model's function: the server cannot know it in advance.
/// Tensors that the step passes on are reserved then, and if they exceed the budget, they are
/// dropped and the requests fail with status 503.
///
/// # Examples
///
/// ```
/// use pytriton_core::decorators::{Batch, Step};
/// use pytriton_core::error::Error;
///
/// /// Refuses batches that are too small to be worth a call.
/// #[derive(Debug)]
/// struct AtLeast(usize);
///
/// impl Step for AtLeast {
///     fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), Error> {
///         match batch.rows() >= self.0 {
///             true => Ok(()),
///             false => Err(Error::invalid_argument(format!("expected {} rows", self.0))),
///         }
///     }
/// }
/// ```
pub trait Step: fmt::Debug + Send + Sync {
    /// Checks the step against its model. Called once before the model is served.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`] if the step can never work.
    fn check(&self, model: &ModelSpec) -> Result<(), Error> {
        let _ = model;
        Ok(())
    }

    /// Splits the rows into groups. The other methods then see each group as a separate batch.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`], with which all requests of the batch fail.
    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, Error> {
        let _ = batch;
        Ok(Groups::new())
    }

    /// Changes the inputs of a batch or group before the call.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`], with which the requests of these rows fail.
    fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), Error> {
        let _ = batch;
        Ok(())
    }

    /// Returns the maximum memory of the outputs that [`finish`](Self::finish) creates, in bytes.
    /// It is reserved before the call. If the outputs take more, the rest is reserved afterwards.
    /// By default, all of it is.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`], with which the requests of these rows fail.
    fn finish_bytes(
        &self,
        model: &ModelSpec,
        rows: usize,
        outputs: &[Option<Tensor>],
    ) -> Result<usize, Error> {
        let _ = (model, rows, outputs);
        Ok(0)
    }

    /// Changes the outputs of a call, which are in the order of the model; the function has omitted
    /// those that are `None`. `rows` is the number of rows before [`prepare`](Self::prepare).
    ///
    /// If a later step forms groups, this is called once for each group.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`], with which the requests of these rows fail.
    fn finish(
        &self,
        model: &ModelSpec,
        rows: usize,
        outputs: &mut [Option<Tensor>],
    ) -> Result<(), Error> {
        let _ = (model, rows, outputs);
        Ok(())
    }

    /// Returns the maximum memory of the outputs that [`join`](Self::join) creates, in bytes. It is
    /// reserved before the call. If the outputs take more, the rest is reserved afterwards. By
    /// default, all of it is.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`], with which the requests of these groups fail.
    fn join_bytes(
        &self,
        model: &ModelSpec,
        groups: &[&mut [Option<Tensor>]],
    ) -> Result<usize, Error> {
        let _ = (model, groups);
        Ok(0)
    }

    /// Changes the outputs of the groups that this step has formed, so that their rows can be
    /// combined in one tensor.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`], with which the requests of these groups fail.
    fn join(&self, model: &ModelSpec, groups: &mut [&mut [Option<Tensor>]]) -> Result<(), Error> {
        let _ = (model, groups);
        Ok(())
    }
}

impl<S: Step + ?Sized> Step for &S {
    fn check(&self, model: &ModelSpec) -> Result<(), Error> {
        (**self).check(model)
    }

    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, Error> {
        (**self).cut(batch)
    }

    fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), Error> {
        (**self).prepare(batch)
    }

    fn finish_bytes(
        &self,
        model: &ModelSpec,
        rows: usize,
        outputs: &[Option<Tensor>],
    ) -> Result<usize, Error> {
        (**self).finish_bytes(model, rows, outputs)
    }

    fn finish(
        &self,
        model: &ModelSpec,
        rows: usize,
        outputs: &mut [Option<Tensor>],
    ) -> Result<(), Error> {
        (**self).finish(model, rows, outputs)
    }

    fn join_bytes(
        &self,
        model: &ModelSpec,
        groups: &[&mut [Option<Tensor>]],
    ) -> Result<usize, Error> {
        (**self).join_bytes(model, groups)
    }

    fn join(&self, model: &ModelSpec, groups: &mut [&mut [Option<Tensor>]]) -> Result<(), Error> {
        (**self).join(model, groups)
    }
}
