//! The memory of the arguments and the results of calls.

use std::sync::{Arc, Weak};

use futures_util::future::{BoxFuture, ready};
use futures_util::stream::{BoxStream, once};
use futures_util::{FutureExt, StreamExt};
use ndarray::{Array2, ArrayView2};
use pytriton_protocol::signature::{ModelSignature, TensorSignature};
use pytriton_protocol::typed::{Many, Model, Once};

use crate::call::Outputs;
use crate::error::{CallError, Error, ErrorKind};
use crate::local_models::{LocalModel, LocalModels};
use crate::memory_budget::MemoryBudget;
use crate::model::{ModelSpec, TensorDeclaration};
use crate::registry::{ModelDeclaration, ModelOptions};
use crate::request::{Request, Response, SmallVec};
use crate::statistics::CallGraph;
use crate::tensor::{DataType, Tensor};
use crate::testing::{IDENTITY, heap};

use super::Call;
use super::inherited::Inherited;

const BUDGET: usize = 64 << 10;

/// More than a call allocates in addition to its arguments and results.
const OVERHEAD: usize = 8 << 10;

const INPUTS: &[TensorDeclaration] = &[TensorDeclaration {
    name: "INPUT_1",
    datatype: DataType::Bytes,
    rank: Some(2),
    shape: None,
    optional: false,
    description: "",
    example: &[],
    labels: "",
}];

const WORDS: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        name: "Words",
        max_batch_size: 8,
        ..ModelOptions::DEFAULT
    },
    inputs: INPUTS,
    outputs: <Array2<String> as Outputs>::DECLARATIONS,
    ..IDENTITY
};

fn signature() -> ModelSignature {
    ModelSignature::new("Words", 8, false)
        .input(TensorSignature::new("INPUT_1", DataType::Bytes, &[-1]))
        .output(TensorSignature::new("OUTPUT_1", DataType::Bytes, &[-1]))
}

#[derive(Debug)]
enum Words {}

impl Model for Words {
    type Arguments = (for<'a> fn(ArrayView2<'a, String>),);
    type Outputs = Array2<String>;
    type Responses = Once;

    fn signature() -> ModelSignature {
        signature()
    }
}

#[derive(Debug)]
enum Streamed {}

impl Model for Streamed {
    type Arguments = (for<'a> fn(ArrayView2<'a, String>),);
    type Outputs = Array2<String>;
    type Responses = Many;

    fn signature() -> ModelSignature {
        signature()
    }
}

/// Models that respond with words of ten bytes.
#[derive(Debug)]
struct Models {
    model: Arc<Responding>,
    budget: Arc<MemoryBudget>,
    call_graph: CallGraph,
}

#[derive(Debug)]
struct Responding {
    spec: Arc<ModelSpec>,
    words: Tensor,
}

impl Models {
    fn new(count: usize) -> Arc<Self> {
        Arc::new(Self {
            model: Arc::new(Responding {
                spec: Arc::new(WORDS.spec().unwrap()),
                words: Tensor::from_array(words(count)).unwrap(),
            }),
            budget: MemoryBudget::new(BUDGET),
            call_graph: CallGraph::default(),
        })
    }

    fn weak(self: &Arc<Self>) -> Weak<dyn LocalModels> {
        let models: Arc<dyn LocalModels> = Arc::clone(self) as _;
        Arc::downgrade(&models)
    }

    /// Returns the handle of a function.
    fn of_function<M: Model>(self: &Arc<Self>) -> Call<M> {
        let inherited = Inherited {
            results: Some(Arc::default()),
            ..Inherited::default()
        };
        Call::by(Some(self.weak()), inherited)
    }
}

impl LocalModels for Models {
    fn find(&self, _: &str) -> Option<Arc<dyn LocalModel>> {
        Some(Arc::clone(&self.model) as _)
    }

    fn budget(&self) -> &Arc<MemoryBudget> {
        &self.budget
    }

    fn call_graph(&self) -> &CallGraph {
        &self.call_graph
    }
}

impl Responding {
    fn response(&self) -> Result<Response, Error> {
        Ok(Response::new(SmallVec::one((0, self.words.clone().into()))))
    }
}

impl LocalModel for Responding {
    fn spec(&self) -> &Arc<ModelSpec> {
        &self.spec
    }

    fn check_open(&self) -> Result<(), Error> {
        Ok(())
    }

    fn infer(self: Arc<Self>, _: Request) -> BoxFuture<'static, Result<Response, Error>> {
        ready(self.response()).boxed()
    }

    fn stream(self: Arc<Self>, _: Request) -> BoxStream<'static, Result<Response, Error>> {
        once(ready(self.response())).boxed()
    }
}

/// One row of words of ten bytes.
fn words(count: usize) -> Array2<String> {
    Array2::from_elem((1, count), "0123456789".to_owned())
}

/// The memory of words: 14 bytes if they are encoded, and a `String` with an allocation.
const fn encoded(count: usize) -> usize {
    14 * count
}

const fn decoded(count: usize) -> usize {
    encoded(count) + (24 + 32) * count
}

fn expect_refusal<T: std::fmt::Debug>(result: Result<T, CallError>, bytes: usize) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unavailable);
    let expected = format!(
        "the call of model 'Words' failed: the server cannot hold {bytes} more bytes of requests and responses"
    );
    assert!(error.to_string().starts_with(&expected), "{error}");
}

#[test]
fn a_result_is_reserved_before_it_is_created_until_the_function_returns() {
    for count in [500, 900] {
        let models = Models::new(count);
        let one = words(1);
        let function = models.of_function::<Words>();
        let result = function.call(&one).wait().unwrap();
        assert_eq!(result, words(count));
        assert_eq!(models.budget.reserved(), decoded(count));
        drop(function);
        assert_eq!(models.budget.reserved(), 0);
        // A program may keep results for as long as it wants.
        let program = Call::<Words>::new(models.weak());
        assert_eq!(program.call(&one).wait().unwrap(), result);
        assert_eq!(models.budget.reserved(), 0);
        assert_eq!(models.budget.peak(), decoded(count));
    }
    let models = Models::new(1000);
    for call in [Call::new(models.weak()), models.of_function::<Words>()] {
        let (refused, peak) = heap::peak(|| call.call(words(1)).wait());
        expect_refusal(refused, decoded(1000));
        assert!(peak < OVERHEAD, "{peak}");
    }
    assert_eq!(models.budget.reserved(), 0);
}

#[test]
fn results_of_a_stream_are_reserved_as_well() {
    let models = Models::new(500);
    let function = models.of_function::<Streamed>();
    let mut results = function.call(words(1));
    assert_eq!(results.wait_next().unwrap().unwrap(), words(500));
    assert_eq!(models.budget.reserved(), decoded(500));
    assert!(results.wait_next().is_none());
    drop((results, function));
    assert_eq!(models.budget.reserved(), 0);
    let models = Models::new(1000);
    let mut results = Call::<Streamed>::new(models.weak()).call(words(1));
    expect_refusal(results.wait_next().unwrap(), decoded(1000));
    assert!(results.wait_next().is_none());
}

#[test]
fn a_function_may_receive_many_results_in_a_loop() {
    let models = Models::new(400);
    let function = models.of_function::<Words>();
    for _ in 0..100 {
        function.call(words(1)).wait().unwrap();
        assert!(models.budget.reserved() <= 2 * decoded(400));
    }
}

#[test]
fn arguments_are_reserved_before_they_are_copied() {
    let models = Models::new(1);
    let call = Call::<Words>::new(models.weak());
    let given = words(500);
    let pending = call.call(&given);
    assert_eq!(models.budget.reserved(), encoded(500));
    assert_eq!(models.budget.peak(), encoded(500) + decoded(500));
    assert_eq!(pending.wait().unwrap(), words(1));
    assert_eq!(models.budget.reserved(), 0);
    drop(call.call(&given));
    assert_eq!(models.budget.reserved(), 0);

    let given = words(1000);
    let (pending, peak) = heap::peak(|| call.call(&given));
    assert!(peak < OVERHEAD, "{peak}");
    expect_refusal(pending.wait(), encoded(1000) + decoded(1000));
    // An array that is passed by value is encoded, but not copied.
    assert_eq!(call.call(given).wait().unwrap(), words(1));
    assert_eq!(models.budget.reserved(), 0);
}
