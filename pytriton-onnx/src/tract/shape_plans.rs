use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tract_onnx::prelude::*;
use tract_onnx::tract_hir::infer::Factoid;
use tract_onnx::tract_hir::internal::DimLike;
use tract_onnx::tract_hir::ops::unimpl::UnimplementedOp;

use super::plan::run;
use super::proto::Proto;

/// The maximum number of plans. Each has its own copy of the weights.
const MAX_PLANS: usize = 8;

/// A network with a plan for each shape of its inputs, created when a call has this shape.
pub(super) struct ShapePlans {
    proto: Proto,
    /// The inputs in the file.
    inputs: Vec<InferenceFact>,
    /// Whether axis 0 is a batch. Then each row is computed alone, because batches have many sizes.
    batch: bool,
    /// Locked while a plan is created. Other calls with its shapes wait instead of creating it too.
    creation: Mutex<()>,
    /// The most recently used first.
    plans: Mutex<VecDeque<ShapePlan>>,
}

type ShapePlan = (Vec<Vec<usize>>, Creation);

/// A plan, or the message of the error for these shapes.
type Creation = Result<Arc<TypedRunnableModel>, Arc<str>>;

impl ShapePlans {
    /// Returns `None` if each shape is known, or if the network has an operator that tract does not
    /// implement.
    pub(super) fn new(proto: Proto, model: &InferenceModel) -> TractResult<Option<Self>> {
        let mut nodes = model.nodes().iter();
        if nodes.any(|node| node.op_is::<UnimplementedOp>()) {
            return Ok(None);
        }
        let inputs = 0..model.inputs.len();
        let inputs = inputs.map(|index| model.input_fact(index).cloned());
        let mut plans = Self {
            proto,
            inputs: inputs.collect::<TractResult<_>>()?,
            batch: false,
            creation: Mutex::default(),
            plans: Mutex::default(),
        };
        if plans.known_shapes().is_some() {
            return Ok(None);
        }
        plans.proto.read_weights()?;
        Ok(Some(plans))
    }

    /// Declares axis 0 as a batch, and creates the plan for a row if its shape is known.
    pub(super) fn set_batch(&mut self) -> TractResult<()> {
        self.batch = true;
        if let Some(shapes) = self.known_shapes() {
            self.plan(&shapes)?;
        }
        Ok(())
    }

    /// Returns the shapes of the inputs of a call, if they are known; of a row if there is a batch.
    fn known_shapes(&self) -> Option<Vec<Vec<usize>>> {
        let shapes = self.inputs.iter().map(|fact| {
            let dims = fact.shape.dims().enumerate();
            let dims = dims.map(|(axis, dim)| match (axis, self.batch) {
                (0, true) => Some(1),
                _ => dim.concretize()?.to_usize().ok(),
            });
            dims.collect()
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

    /// Returns the plan for these shapes. Calls with a plan do not wait while another one is
    /// created.
    fn plan(&self, shapes: &[Vec<usize>]) -> TractResult<Arc<TypedRunnableModel>> {
        let plan = self.find(shapes).unwrap_or_else(|| {
            // A panic while it is locked leaves the plans as they were.
            let _creation = self.creation.lock().unwrap_or_else(PoisonError::into_inner);
            self.find(shapes).unwrap_or_else(|| self.create(shapes))
        });
        plan.map_err(TractError::msg)
    }

    fn find(&self, shapes: &[Vec<usize>]) -> Option<Creation> {
        let mut plans = self.plans();
        let index = plans.iter().position(|(of, _)| of == shapes)?;
        let plan = plans.remove(index)?;
        let creation = plan.1.clone();
        plans.push_front(plan);
        Some(creation)
    }

    fn create(&self, shapes: &[Vec<usize>]) -> Creation {
        let plan = self.optimized(shapes);
        let plan = plan.map_err(|error| Arc::from(format!("{error:#}")));
        let mut plans = self.plans();
        plans.push_front((shapes.to_vec(), plan.clone()));
        plans.truncate(MAX_PLANS);
        plan
    }

    fn optimized(&self, shapes: &[Vec<usize>]) -> TractResult<Arc<TypedRunnableModel>> {
        let mut model = self.proto.parse()?;
        for (index, shape) in shapes.iter().enumerate() {
            let fact = model.input_fact(index)?.clone();
            model.set_input_fact(index, fact.with_shape(shape))?;
        }
        model.into_optimized()?.into_runnable()
    }

    fn plans(&self) -> MutexGuard<'_, VecDeque<ShapePlan>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::thread;

    use pytriton_test_onnx::OnnxFile;

    use super::*;

    /// Plans of a network that computes with the shape of `x`, which must have 3 columns.
    fn plans() -> ShapePlans {
        const FLOAT: u64 = OnnxFile::FLOAT;
        let file = OnnxFile::new()
            .input("x", FLOAT, "n m")
            .output("y", FLOAT, "n 1")
            .weights("weights", &[3, 1], &[1.0, 2.0, 3.0])
            .node("Shape", &["x"], &["shape"])
            .node_with("Cast", &["shape"], &["float"], &[("to", FLOAT)])
            .node_with("Cast", &["float"], &["sizes"], &[("to", OnnxFile::INT64)])
            .node("Reshape", &["x", "sizes"], &["same"])
            .node("MatMul", &["same", "weights"], &["y"]);
        let proto = Proto::decode(&file.encode(), None).unwrap();
        let model = proto.parse().unwrap();
        ShapePlans::new(proto, &model).unwrap().unwrap()
    }

    #[test]
    fn concurrent_calls_create_one_plan() {
        let (plans, barrier) = (plans(), Barrier::new(4));
        let created = thread::scope(|scope| {
            let threads = [(); 4].map(|()| {
                scope.spawn(|| {
                    barrier.wait();
                    plans.plan(&[vec![2, 3]]).unwrap()
                })
            });
            threads.map(|thread| thread.join().unwrap())
        });
        let [first, others @ ..] = &created;
        assert!(others.iter().all(|other| Arc::ptr_eq(other, first)));
        let other = plans.plan(&[vec![3, 3]]).unwrap();
        assert_ne!(other.model().symbols.id(), first.model().symbols.id());
    }

    #[test]
    fn failure_is_remembered() {
        let plans = plans();
        let text = || plans.plan(&[vec![2, 4]]).unwrap_err().to_string();
        assert_eq!(text(), text());
        assert_eq!(plans.plans().len(), 1);
    }
}
