use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;

use crate::decorators::{Batch, Step, StepError};
use crate::model::ModelSpec;
use crate::request::Parameters;
use crate::tensor::Tensor;

use super::execute::caught;
use super::{ModelError, Part, Returned, Said};

pub(super) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Runs a batch through the steps and the function, and the outputs back through the steps.
pub(super) fn around<'c, 'a: 'c, C>(
    steps: &'a [Arc<dyn Step>],
    batch: Batch<'a>,
    call: &'c C,
) -> Boxed<'c, Vec<Part>>
where
    C: Fn(Batch<'a>) -> Boxed<'a, Result<Returned, ModelError>>,
{
    Box::pin(async move {
        let rows = batch.rows();
        let Some((step, below)) = steps.split_first() else {
            let outputs = match call(batch).await {
                Ok(Returned::Call(outputs)) => Ok(outputs),
                // Raw functions have no steps.
                Ok(_) => Ok(Said::default()),
                Err(error) => Err(error),
            };
            return vec![Part::whole(rows, outputs)];
        };
        match cut(step.as_ref(), &batch) {
            Ok(None) => within(step.as_ref(), below, batch, call).await,
            Ok(Some(groups)) => apart(step.as_ref(), below, batch, groups, call).await,
            Err(error) => vec![Part::whole(rows, Err(error))],
        }
    })
}

/// Runs one step around the remaining ones.
async fn within<'c, 'a: 'c, C>(
    step: &'a dyn Step,
    below: &'a [Arc<dyn Step>],
    mut batch: Batch<'a>,
    call: &'c C,
) -> Vec<Part>
where
    C: Fn(Batch<'a>) -> Boxed<'a, Result<Returned, ModelError>>,
{
    let (model, rows) = (batch.model(), batch.rows());
    let prepared = guarded(model, || step.prepare(&mut batch));
    let batch = match prepared.and_then(|()| Ok(batch.checked()?)) {
        Ok(batch) => batch,
        Err(error) => return vec![Part::whole(rows, Err(error))],
    };
    let prepared = batch.rows();
    let mut parts = around(below, batch, call).await;
    if prepared != rows {
        let outputs = match parts.pop() {
            Some(part) if parts.is_empty() && part.is_in_order() => part.into_said(),
            _ => Err(ModelError::from(StepError::RowsBeforeCut {
                model: Arc::clone(&model.name),
            })),
        };
        parts = vec![Part::whole(rows, outputs)];
    }
    for part in &mut parts {
        part.change(|rows, outputs| guarded(model, || step.finish(model, rows, outputs)));
    }
    parts
}

/// Runs one step around the remaining ones, separately for each group of rows.
async fn apart<'c, 'a: 'c, C>(
    step: &'a dyn Step,
    below: &'a [Arc<dyn Step>],
    batch: Batch<'a>,
    groups: Vec<Vec<usize>>,
    call: &'c C,
) -> Vec<Part>
where
    C: Fn(Batch<'a>) -> Boxed<'a, Result<Returned, ModelError>>,
{
    let rows = match batch.single_rows() {
        Ok(rows) => rows,
        Err(error) => return vec![Part::whole(batch.rows(), Err(error.into()))],
    };
    let mut parts = Vec::new();
    for group in groups {
        match batch.group(&rows, &group) {
            Ok(inputs) => {
                let answered = within(step, below, inputs, call).await;
                parts.extend(answered.into_iter().map(|part| part.of(&group)));
            }
            Err(error) => parts.push(Part {
                rows: group,
                outputs: Err(error.into()),
                parameters: Parameters::default(),
            }),
        }
    }
    let mut outputs: Vec<&mut [Tensor]> = parts
        .iter_mut()
        .filter_map(|part| Some(part.outputs.as_mut().ok()?.as_mut_slice()))
        .collect();
    let model = batch.model();
    if let Err(error) = guarded(model, || step.join(model, &mut outputs)) {
        for part in parts.iter_mut().filter(|part| part.outputs.is_ok()) {
            part.outputs = Err(error.clone());
        }
    }
    parts
}

/// Returns the groups of a batch, each row in exactly one, or `None` for the whole batch.
fn cut(step: &dyn Step, batch: &Batch<'_>) -> Result<Option<Vec<Vec<usize>>>, ModelError> {
    let mut groups = guarded(batch.model(), || step.cut(batch))?;
    groups.retain(|group| !group.is_empty());
    if groups.is_empty() {
        return Ok(None);
    }
    StepError::need_batch_axis(batch.model())?;
    let mut stands = vec![false; batch.rows()];
    let flaw = |row| StepError::Groups {
        model: Arc::clone(&batch.model().name),
        rows: batch.rows(),
        row,
    };
    for &row in groups.iter().flatten() {
        match stands.get_mut(row) {
            Some(stands) if !*stands => *stands = true,
            _ => return Err(flaw(row).into()),
        }
    }
    match stands.iter().position(|stands| !stands) {
        Some(row) => Err(flaw(row).into()),
        None => Ok(Some(groups)),
    }
}

/// Catches panics of a step, which may be user code.
fn guarded<T>(
    model: &ModelSpec,
    step: impl FnOnce() -> Result<T, StepError>,
) -> Result<T, ModelError> {
    // A panic can only leave state of the step and of this batch inconsistent, and the batch fails.
    match catch_unwind(AssertUnwindSafe(step)) {
        Ok(done) => Ok(done?),
        Err(panic) => Err(ModelError::Panic {
            model: Arc::clone(&model.name),
            message: caught(panic),
        }),
    }
}

#[cfg(test)]
#[path = "around_tests.rs"]
mod tests;
