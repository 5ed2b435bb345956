use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tract_onnx::prelude::*;
use tract_onnx::tract_hir::infer::Factoid;
use tract_onnx::tract_hir::internal::DimLike;
use tract_onnx::tract_hir::ops::unimpl::UnimplementedOp;

use super::plan::run;

/// The maximum number of plans. Each has its own copy of the weights.
const MAX_PLANS: usize = 8;

/// A network with a plan for each shape of its inputs, created when a call has this shape.
pub(super) struct ShapePlans {
    model: InferenceModel,
    /// Whether axis 0 is a batch. Then each row is computed alone, because batches have many sizes.
    batch: bool,
    /// The most recently used first.
    plans: Mutex<VecDeque<ShapePlan>>,
}

type ShapePlan = (Vec<Vec<usize>>, Arc<TypedRunnableModel>);

impl ShapePlans {
    /// Returns `None` if each shape is known, or if the network has an operator that tract does not
    /// implement.
    pub(super) fn new(model: InferenceModel) -> TractResult<Option<Self>> {
        let mut nodes = model.nodes().iter();
        if nodes.any(|node| node.op_is::<UnimplementedOp>()) {
            return Ok(None);
        }
        let plans = Self {
            model,
            batch: false,
            plans: Mutex::default(),
        };
        match plans.known_shapes()? {
            Some(_) => Ok(None),
            None => Ok(Some(plans)),
        }
    }

    /// Declares axis 0 as a batch, and creates the plan for a row if its shape is known.
    pub(super) fn set_batch(&mut self) -> TractResult<()> {
        self.batch = true;
        if let Some(shapes) = self.known_shapes()? {
            self.plan(&shapes)?;
        }
        Ok(())
    }

    /// Returns the shapes of the inputs of a call, if they are known; of a row if there is a batch.
    fn known_shapes(&self) -> TractResult<Option<Vec<Vec<usize>>>> {
        let shapes = (0..self.model.inputs.len()).map(|index| {
            let fact = self.model.input_fact(index)?;
            let dims = fact.shape.dims().enumerate();
            let dims = dims.map(|(axis, dim)| match (axis, self.batch) {
                (0, true) => Some(1),
                _ => dim.concretize()?.to_usize().ok(),
            });
            Ok(dims.collect())
        });
        shapes.collect()
    }

    pub(super) fn run(&self, inputs: Vec<Tensor>) -> TractResult<Vec<Tensor>> {
        if !self.batch {
            return self.run_shape(inputs);
        }
        let count = inputs[0].shape()[0];
        let rows = (0..count).map(|row| {
            let inputs = inputs.iter().map(|input| input.slice(0, row, row + 1));
            self.run_shape(inputs.collect::<TractResult<_>>()?)
        });
        let mut rows = rows.collect::<TractResult<Vec<_>>>()?;
        match rows.len() {
            0 => Err(TractError::msg("a batch needs a row")),
            1 => Ok(rows.remove(0)),
            _ => {
                let outputs = 0..rows[0].len();
                let stacked = outputs.map(|output| {
                    let parts: Vec<&Tensor> = rows.iter().map(|row| &row[output]).collect();
                    Tensor::stack_tensors(0, &parts)
                });
                stacked.collect()
            }
        }
    }

    fn run_shape(&self, inputs: Vec<Tensor>) -> TractResult<Vec<Tensor>> {
        let shapes = inputs.iter().map(|input| input.shape().to_vec());
        let plan = self.plan(&shapes.collect::<Vec<_>>())?;
        run(&plan, inputs)
    }

    /// Returns the plan for these shapes. It is created outside of the lock, so that calls with
    /// other shapes do not wait.
    fn plan(&self, shapes: &[Vec<usize>]) -> TractResult<Arc<TypedRunnableModel>> {
        let lock = || self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |plans: &VecDeque<ShapePlan>| plans.iter().position(|(of, _)| of == shapes);
        let mut plans = lock();
        if let Some(plan) = find(&plans).and_then(|index| plans.remove(index)) {
            let model = Arc::clone(&plan.1);
            plans.push_front(plan);
            return Ok(model);
        }
        drop(plans);
        let mut model = self.model.clone();
        for (index, shape) in shapes.iter().enumerate() {
            let fact = model.input_fact(index)?.clone();
            model.set_input_fact(index, fact.with_shape(shape))?;
        }
        let model = model.into_optimized()?.into_runnable()?;
        let mut plans = lock();
        if find(&plans).is_none() {
            plans.push_front((shapes.to_vec(), Arc::clone(&model)));
            plans.truncate(MAX_PLANS);
        }
        Ok(model)
    }
}
