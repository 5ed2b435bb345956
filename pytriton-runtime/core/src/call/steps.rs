use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;

use crate::decorators::{Batch, Step, StepError};
use crate::error::Error;
use crate::model::ModelSpec;
use crate::tracked_tensor::TrackedTensor;

use super::client_panic::client_panic_message;
use super::memory::{StepOutputs, change_outputs};
use super::{CallResult, ModelError, ResponseParts, Returned, RowGroup};

pub(super) type LocalFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Runs a batch through the steps and the function, and the outputs back through the steps.
pub(super) fn run_steps<'c, 'a: 'c, C>(
    steps: &'a [Arc<dyn Step>],
    batch: Batch<'a>,
    call: &'c C,
) -> LocalFuture<'c, Vec<RowGroup>>
where
    C: Fn(Batch<'a>) -> LocalFuture<'a, CallResult>,
{
    Box::pin(async move {
        let rows = batch.rows();
        let Some((step, inner_steps)) = steps.split_first() else {
            let outputs = match call(batch).await {
                Ok(Returned::Call(outputs)) => Ok(outputs),
                // Raw functions have no steps.
                Ok(_) => Ok(ResponseParts::default()),
                Err(error) => Err(error),
            };
            return vec![RowGroup::all(rows, outputs)];
        };
        match split_batch(step.as_ref(), &batch) {
            Ok(None) => run_step(step.as_ref(), inner_steps, batch, call).await,
            Ok(Some(groups)) => {
                run_step_by_group(step.as_ref(), inner_steps, batch, groups, call).await
            }
            Err(error) => vec![RowGroup::all(rows, Err(error))],
        }
    })
}

/// Runs one step around the remaining ones.
async fn run_step<'c, 'a: 'c, C>(
    step: &'a dyn Step,
    inner_steps: &'a [Arc<dyn Step>],
    mut batch: Batch<'a>,
    call: &'c C,
) -> Vec<RowGroup>
where
    C: Fn(Batch<'a>) -> LocalFuture<'a, CallResult>,
{
    let (model, rows, budget) = (batch.model(), batch.rows(), batch.budget());
    let prepared = guarded(model, || step.prepare(&mut batch));
    batch.release_decoded();
    let batch = match prepared.and_then(|()| Ok(batch.checked()?)) {
        Ok(batch) => batch,
        Err(error) => return vec![RowGroup::all(rows, Err(error))],
    };
    let prepared = batch.rows();
    let mut row_groups = run_steps(inner_steps, batch, call).await;
    if prepared != rows {
        let outputs = match row_groups.pop() {
            Some(row_group) if row_groups.is_empty() && row_group.is_in_order() => {
                row_group.into_parts()
            }
            _ => Err(ModelError::from(StepError::RowsBeforeCut {
                model: Arc::clone(&model.name),
            })),
        };
        row_groups = vec![RowGroup::all(rows, outputs)];
    }
    for row_group in &mut row_groups {
        row_group.change(|rows, outputs| {
            let bytes = |outputs: &StepOutputs<'_>| {
                guarded(model, || step.finish_bytes(model, rows, outputs[0]))
            };
            change_outputs(budget, &mut [outputs], bytes, |outputs| {
                guarded(model, || step.finish(model, rows, outputs[0]))
            })
        });
    }
    row_groups
}

/// Runs one step around the remaining ones, separately for each group of rows.
async fn run_step_by_group<'c, 'a: 'c, C>(
    step: &'a dyn Step,
    inner_steps: &'a [Arc<dyn Step>],
    batch: Batch<'a>,
    groups: Vec<Vec<usize>>,
    call: &'c C,
) -> Vec<RowGroup>
where
    C: Fn(Batch<'a>) -> LocalFuture<'a, CallResult>,
{
    let reserved = batch.reserve_groups(groups.len());
    let cut = reserved.and_then(|permit| Ok((batch.single_rows()?, permit)));
    let (rows, _permit) = match cut {
        Ok(cut) => cut,
        Err(error) => return vec![RowGroup::all(batch.rows(), Err(error.into()))],
    };
    let mut row_groups = Vec::new();
    for group in groups {
        match batch.group(&rows, &group) {
            Ok(inputs) => {
                let returned = run_step(step, inner_steps, inputs, call).await;
                row_groups.extend(returned.into_iter().map(|row_group| row_group.of(&group)));
            }
            Err(error) => row_groups.push(RowGroup::failed(group, error.into())),
        }
    }
    let mut outputs: Vec<&mut [Option<TrackedTensor>]> = row_groups
        .iter_mut()
        .filter_map(|row_group| Some(row_group.outputs.as_mut().ok()?.as_mut_slice()))
        .collect();
    let model = batch.model();
    let bytes = |outputs: &StepOutputs<'_>| guarded(model, || step.join_bytes(model, outputs));
    let joined = change_outputs(batch.budget(), &mut outputs, bytes, |outputs| {
        guarded(model, || step.join(model, outputs))
    });
    if let Err(error) = joined {
        // One group for one error: all of its requests count as those that share it.
        let (joined, failed): (Vec<_>, Vec<_>) = row_groups
            .into_iter()
            .partition(|row_group| row_group.outputs.is_ok());
        let mut rows: Vec<usize> = joined.into_iter().flat_map(|group| group.rows).collect();
        rows.sort_unstable();
        row_groups = failed;
        row_groups.push(RowGroup::failed(rows, error));
    }
    row_groups
}

/// Returns the groups of a batch, each row in exactly one, or `None` for the whole batch.
fn split_batch(step: &dyn Step, batch: &Batch<'_>) -> Result<Option<Vec<Vec<usize>>>, ModelError> {
    let groups = guarded(batch.model(), || step.cut(batch));
    batch.release_decoded();
    let mut groups = groups?;
    groups.retain(|group| !group.is_empty());
    if groups.is_empty() {
        return Ok(None);
    }
    StepError::need_batch_axis(batch.model())?;
    let mut assigned = vec![false; batch.rows()];
    let flaw = |row| StepError::Groups {
        model: Arc::clone(&batch.model().name),
        rows: batch.rows(),
        row,
    };
    for &row in groups.iter().flatten() {
        match assigned.get_mut(row) {
            Some(assigned) if !*assigned => *assigned = true,
            _ => return Err(flaw(row).into()),
        }
    }
    match assigned.iter().position(|assigned| !assigned) {
        Some(row) => Err(flaw(row).into()),
        None => Ok(Some(groups)),
    }
}

/// Catches panics of a step, which may be user code.
fn guarded<T>(model: &ModelSpec, step: impl FnOnce() -> Result<T, Error>) -> Result<T, ModelError> {
    // A panic can only leave state of the step and of this batch inconsistent, and the batch fails.
    match catch_unwind(AssertUnwindSafe(step)) {
        Ok(done) => Ok(done.map_err(StepError::of)?),
        Err(panic) => Err(ModelError::Panic {
            model: Arc::clone(&model.name),
            message: client_panic_message(panic),
        }),
    }
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
