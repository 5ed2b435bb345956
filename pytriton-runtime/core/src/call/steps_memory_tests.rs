//! The memory of the outputs that steps create.

use crate::call::OutputWriter;
use crate::decorators::{ConstantPadder, Padder};
use crate::memory_budget::MemoryBudget;
use crate::tensor::Tensor;

use super::*;

const MIB: usize = 1 << 20;

/// Cuts each row off, then pads their outputs.
#[derive(Debug)]
struct Padded(ConstantPadder);

impl Step for Padded {
    fn cut(&self, batch: &Batch<'_>) -> Result<Groups, Error> {
        Ok((0..batch.rows()).map(|row| vec![row]).collect())
    }

    fn join_bytes(
        &self,
        model: &ModelSpec,
        groups: &[&mut [Option<Tensor>]],
    ) -> Result<usize, Error> {
        self.0.pad_bytes(model, groups)
    }

    fn join(&self, model: &ModelSpec, groups: &mut [&mut [Option<Tensor>]]) -> Result<(), Error> {
        self.0.pad(model, groups)
    }
}

/// Replaces the outputs with tensors of this many elements per row, or with slices of them.
#[derive(Debug)]
struct Replace {
    elements: usize,
    stated: bool,
}

impl Step for Replace {
    fn finish_bytes(
        &self,
        _: &ModelSpec,
        rows: usize,
        outputs: &[Option<Tensor>],
    ) -> Result<usize, Error> {
        let all = 4 * self.elements * rows * outputs.len();
        Ok(if self.stated { all } else { 0 })
    }

    fn finish(
        &self,
        _: &ModelSpec,
        rows: usize,
        outputs: &mut [Option<Tensor>],
    ) -> Result<(), Error> {
        for output in outputs.iter_mut().flatten() {
            if self.elements > 0 {
                *output = wide(rows, self.elements);
            }
            *output = crate::tensor::rows(output, 0, rows)
                .map_err(|error| Error::internal(error.to_string()))?;
        }
        Ok(())
    }
}

fn wide(rows: usize, elements: usize) -> Tensor {
    Tensor::from_elements(vec![rows, elements], vec![7_i32; rows * elements]).unwrap()
}

/// Runs `rows` rows through a step under a budget. The function returns one tensor of `elements`
/// elements per row, times the value of the first row.
fn outputs_under(
    budget: &Arc<MemoryBudget>,
    applied: Arc<dyn Step>,
    rows: &[i32],
    elements: usize,
) -> Vec<RowGroup> {
    let mut spec = spec();
    spec.outputs[0].datatype = DataType::Int32;
    let call = |batch: Batch<'_>| -> LocalFuture<'_, _> {
        let x = values(batch.inputs()[0].as_ref().unwrap());
        let factor = usize::try_from(x[0]).unwrap();
        let output = wide(x.len(), factor * elements);
        let mut writer = OutputWriter::new(batch.model(), Some(budget));
        writer.tensor(output);
        let returned = writer.finish().map(Returned::Call);
        Box::pin(async move { returned })
    };
    let steps = [applied];
    let inputs = Cow::Owned(vec![Some(column(rows).into())]);
    let batch = Batch::new(&spec, rows.len(), inputs).counted_in(Some(budget));
    run_steps(&steps, batch, &call).now_or_never().unwrap()
}

#[test]
fn padded_outputs_are_reserved_before_they_are_created_and_until_they_are_dropped() {
    const KIB: usize = 1 << 10;
    // Two rows of 4 KiB and one of 16 KiB become three of 16 KiB.
    let pad = || step(Padded(ConstantPadder::new(0)));
    let all = 16 + 2 * 16;
    let budget = MemoryBudget::new(MIB);
    let groups = outputs_under(&budget, pad(), &[1, 4, 1], KIB);
    assert_eq!((groups.len(), budget.reserved()), (3, all * KIB));
    let peak = budget.peak();
    // The rows before they are padded exist at the same time.
    assert!(peak >= (all + 2 * 4) * KIB, "{peak}");
    drop(groups);
    assert_eq!(budget.reserved(), 0);

    let budget = MemoryBudget::new(peak - 1);
    let groups = outputs_under(&budget, pad(), &[1, 4, 1], KIB);
    let refused = |group: &RowGroup| matches!(&group.outputs, Err(ModelError::Budget(_)));
    assert!(groups.iter().all(refused), "{groups:?}");
    assert_eq!(budget.reserved(), 0);

    // Outputs that have the same dims already are not copied.
    let budget = MemoryBudget::new(3 * 4 * KIB + 4 * KIB);
    let groups = outputs_under(&budget, pad(), &[1, 1, 1], KIB);
    assert!(groups.iter().all(|group| group.outputs.is_ok()));
    assert_eq!(budget.reserved(), 3 * 4 * KIB);
}

#[test]
fn outputs_of_a_step_are_reserved() {
    const KIB: usize = 1 << 10;
    for rows in [&[1][..], &[1, 1], &[1; 7]] {
        for (elements, stated) in [(0, false), (0, true), (4 * KIB, false), (4 * KIB, true)] {
            let replace = || step(Replace { elements, stated });
            let budget = MemoryBudget::new(MIB);
            let groups = outputs_under(&budget, replace(), rows, KIB);
            let left = if elements == 0 { KIB } else { elements };
            assert_eq!(
                budget.reserved(),
                4 * left * rows.len(),
                "{elements} {stated}"
            );
            drop(groups);
            assert_eq!(budget.reserved(), 0);
            if elements > 0 {
                let most = 4 * (KIB + elements) * rows.len();
                assert_eq!(budget.peak(), most);
                let budget = MemoryBudget::new(most - 1);
                let groups = outputs_under(&budget, replace(), rows, KIB);
                let refused = matches!(&groups[0].outputs, Err(ModelError::Budget(_)));
                assert!(refused, "{groups:?}");
                drop(groups);
                assert_eq!(budget.reserved(), 0);
            }
        }
    }
}
