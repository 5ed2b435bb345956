use std::fmt;
use std::sync::Arc;

use crate::model::ModelSpec;
use crate::tensor::Tensor;

use super::{Batch, StepError};

/// The rows of a batch, from 0, in groups that are called apart; each row stands in one of them. None at all leaves the
/// batch together.
pub type Groups = Vec<Vec<usize>>;

/// The steps of a model in the order in which they are written.
pub type Steps = Arc<[Arc<dyn Step>]>;

/// A step between a batch and the function: `#[step(MyStep { … })]` takes any value of a type that implements it.
///
/// # Examples
///
/// ```
/// use pytriton_runtime::decorators::{Batch, Step, StepError};
/// use pytriton_runtime::tensor::Tensor;
///
/// /// Refuses batches that are too small to be worth a call.
/// #[derive(Debug)]
/// struct AtLeast(usize);
///
/// impl Step for AtLeast {
///     fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), StepError> {
///         match batch.rows() >= self.0 {
///             true => Ok(()),
///             false => Err(StepError::Refused(format!("expected {} rows", self.0))),
///         }
///     }
/// }
/// ```
pub trait Step: fmt::Debug + Send + Sync {
    /// Compares the step with its model, once, before anything is served.
    ///
    /// # Errors
    ///
    /// A [`StepError`] that says what can never work.
    fn check(&self, model: &ModelSpec) -> Result<(), StepError> {
        let _ = model;
        Ok(())
    }

    /// Cuts the rows into groups. The other methods then see each group as a batch of its own.
    ///
    /// # Errors
    ///
    /// A [`StepError`], with which all requests of the batch fail.
    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, StepError> {
        let _ = batch;
        Ok(Groups::new())
    }

    /// Changes the inputs of a batch or group before the call.
    ///
    /// # Errors
    ///
    /// A [`StepError`], with which the requests of these rows fail.
    fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), StepError> {
        let _ = batch;
        Ok(())
    }

    /// Changes the outputs of a call for what were `rows` rows before [`prepare`](Self::prepare).
    ///
    /// Where a step below cuts, it is called once for each of its groups.
    ///
    /// # Errors
    ///
    /// A [`StepError`], with which the requests of these rows fail.
    fn finish(
        &self,
        model: &ModelSpec,
        rows: usize,
        outputs: &mut [Tensor],
    ) -> Result<(), StepError> {
        let _ = (model, rows, outputs);
        Ok(())
    }

    /// Changes the outputs of the groups that this step has cut so that their rows can stand in one tensor.
    ///
    /// # Errors
    ///
    /// A [`StepError`], with which the requests of these groups fail.
    fn join(&self, model: &ModelSpec, groups: &mut [&mut [Tensor]]) -> Result<(), StepError> {
        let _ = (model, groups);
        Ok(())
    }
}

/// A step as generated code writes it down.
pub const fn step<S: Step>(step: &S) -> &S {
    step
}

impl<S: Step + ?Sized> Step for &S {
    fn check(&self, model: &ModelSpec) -> Result<(), StepError> {
        (**self).check(model)
    }

    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, StepError> {
        (**self).cut(batch)
    }

    fn prepare(&self, batch: &mut Batch<'_>) -> Result<(), StepError> {
        (**self).prepare(batch)
    }

    fn finish(
        &self,
        model: &ModelSpec,
        rows: usize,
        outputs: &mut [Tensor],
    ) -> Result<(), StepError> {
        (**self).finish(model, rows, outputs)
    }

    fn join(&self, model: &ModelSpec, groups: &mut [&mut [Tensor]]) -> Result<(), StepError> {
        (**self).join(model, groups)
    }
}
