use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2, Ix2};
use pytriton_core::call::ModelError;
use pytriton_core::memory_budget::MemoryBudgetError;
use pytriton_core::model::ModelSpec;
use pytriton_core::request::{InferInput, InferRequest, Request, RequestError};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::runtime_models::{Function, Input, Model, ModelFlaws, Output, PerBatch};
use pytriton_core::statistics::ModelStatistics;
use pytriton_core::tensor::{Element, Tensor, TensorError, array};
use thiserror::Error;
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::{Policy, Resources, Scheduler};

/// The name of the only input.
const INPUT: &str = "rows";
/// The name of the only output.
const OUTPUT: &str = "results";

/// The maximum number of waiting requests, unless the options have another.
const DEFAULT_QUEUE_SIZE: usize = 1 << 10;

/// A queue around a closure that maps a batch of rows to as many results.
///
/// The options are those of a model without inputs and outputs: the batch size, the queue delay,
/// the size of the queue and its timeout, and the number of threads (`instances`).
///
/// # Examples
///
/// ```
/// use ndarray::{Array2, ArrayView2, array};
/// use std::time::Duration;
///
/// use pytriton_scheduler::{BatchQueue, Model};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), pytriton_scheduler::BatchQueueError> {
/// let delay = Duration::from_micros(500);
/// let options = Model::new("double").max_batch_size(8).max_queue_delay(delay);
/// let double = |rows: ArrayView2<'_, f32>| -> Array2<f32> { &rows * 2.0 };
/// let queue = BatchQueue::start(options, 64 << 20, double).await?;
/// let (one, two) = tokio::join!(
///     queue.submit(array![[1.0, 2.0]]),
///     queue.submit(array![[3.0, 4.0], [5.0, 6.0]]),
/// );
/// assert_eq!(one?, array![[2.0, 4.0]]);
/// assert_eq!(two?, array![[6.0, 8.0], [10.0, 12.0]]);
/// # Ok(())
/// # }
/// ```
pub struct BatchQueue<T, U> {
    spec: Arc<ModelSpec>,
    scheduler: Scheduler,
    resources: Resources,
    _elements: PhantomData<fn(T) -> U>,
}

/// A queue cannot start, or a request to it failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BatchQueueError {
    /// The options are invalid.
    #[error(transparent)]
    Options(#[from] ModelFlaws),
    /// A thread cannot start.
    #[error(transparent)]
    Start(ModelError),
    /// The request has no rows, or more than a batch may have.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The memory of the request cannot be reserved.
    #[error(transparent)]
    Budget(#[from] MemoryBudgetError),
    /// The request was refused or cancelled, or the closure failed.
    #[error(transparent)]
    Scheduler(#[from] SchedulerError),
    /// The rows or the results cannot be converted.
    #[error(transparent)]
    Tensor(#[from] TensorError),
}

impl<T: Element, U: Element> BatchQueue<T, U> {
    /// Starts the threads that run the closure. All requests that wait or run at the same time, and
    /// their results, have at most `max_bytes`.
    ///
    /// # Errors
    ///
    /// Returns [`BatchQueueError::Options`] if the options are invalid, and
    /// [`BatchQueueError::Start`] if a thread cannot start.
    pub async fn start<F>(
        options: Model,
        max_bytes: usize,
        function: F,
    ) -> Result<Self, BatchQueueError>
    where
        F: Fn(ArrayView2<'_, T>) -> Array2<U> + Send + Sync + 'static,
    {
        let function = Function::new(PerBatch, move |call| {
            let rows = call.array::<T, Ix2>(INPUT)?;
            Ok(function(rows.view()))
        });
        let model = options
            .input(Input::new::<T>(INPUT, [-1]))
            .output(Output::new::<U>(OUTPUT, [-1]))
            .registration(&function)?;
        let resources = Resources::new(&Handle::current(), max_bytes);
        let policy = Policy::new(&model.spec, DEFAULT_QUEUE_SIZE);
        let scheduler = Scheduler::start(&model, policy, &resources).await;
        Ok(Self {
            spec: model.spec,
            scheduler: scheduler.map_err(BatchQueueError::Start)?,
            resources,
            _elements: PhantomData,
        })
    }

    /// Queues rows and returns their results. They are processed in one call of the closure,
    /// together with the rows of other requests.
    ///
    /// # Errors
    ///
    /// Returns an error if the request is refused, or if the closure panics or returns another
    /// number of rows. All requests of the batch fail then.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future removes the request from the queue. If it is already being executed, its
    /// results are dropped.
    pub async fn submit(&self, rows: Array2<T>) -> Result<Array2<U>, BatchQueueError> {
        let tensor = Tensor::from_array(rows)?;
        let memory = self.resources.budget.permit(tensor.data().len())?;
        let shape = tensor.shape().iter();
        let request = InferRequest {
            inputs: vec![InferInput {
                name: INPUT.to_owned(),
                datatype: T::DATATYPE,
                shape: shape.filter_map(|&size| i64::try_from(size).ok()).collect(),
                data: tensor.data().clone(),
            }],
            ..InferRequest::new(memory)
        };
        let request = Request::check(&self.spec, request)?;
        let response = self.scheduler.infer(request).await?;
        let result = response.outputs.iter().next();
        let (_, result) = result.ok_or_else(|| self.no_result())?;
        Ok(array::<U, Ix2>(result)?.into_owned())
    }

    fn no_result(&self) -> SchedulerError {
        SchedulerError::InstanceEnded {
            model: Arc::clone(&self.spec.name),
        }
    }
}

impl<T, U> BatchQueue<T, U> {
    /// Returns the statistics, which include the sizes of the executed batches.
    pub fn statistics(&self) -> ModelStatistics {
        self.scheduler.statistics()
    }

    /// Refuses further requests and waits until accepted ones are completed or `deadline` has
    /// passed. Returns whether all threads have ended.
    pub async fn drain(&self, deadline: Instant) -> bool {
        self.scheduler.drain(deadline).await
    }
}

impl<T, U> fmt::Debug for BatchQueue<T, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchQueue")
            .field("scheduler", &self.scheduler)
            .finish_non_exhaustive()
    }
}
