use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinHandle, unconstrained};
use tokio::time::timeout;

use crate::{ClientError, InferOptions, IntoInputs, Outputs};

use super::worker::Worker;
use super::{AsyncModelClient, Builder, Inference, ModelClient};

/// A client with many concurrent requests and a bounded queue, like PyTriton's
/// `FuturesModelClient`.
///
/// Requests make progress on the client's own thread, even if nothing polls them. So the client
/// works with and without a runtime.
///
/// # Examples
///
/// ```no_run
/// use ndarray::{Ix1, array};
/// use pytriton_client::PipelinedModelClient;
///
/// # fn main() -> Result<(), pytriton_client::ClientError> {
/// let client = PipelinedModelClient::builder("grpc://localhost", "AddSub")
///     .max_in_flight(16)
///     .build()?;
/// let requests = (0..1000).map(|number| {
///     let inputs = (array![number], array![1]);
///     client.infer_sample(inputs).blocking_send()
/// });
/// for pending in requests.collect::<Result<Vec<_>, _>>()? {
///     println!("{}", pending.wait()?.view::<i32, Ix1>("OUTPUT_1")?);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct PipelinedModelClient {
    client: AsyncModelClient,
    pipeline: Pipeline,
}

/// The limits on concurrent and queued requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) in_flight: usize,
    pub(super) queue: usize,
}

/// PyTriton's defaults for threads and queue size.
impl Default for Bounds {
    fn default() -> Self {
        Self {
            in_flight: 128,
            queue: 128,
        }
    }
}

#[derive(Debug, Clone)]
struct Pipeline {
    worker: Arc<Worker>,
    /// One permit for each request that is queued or in flight.
    slots: Arc<Semaphore>,
    /// One permit for each request in flight.
    permits: Arc<Semaphore>,
    limit: usize,
}

/// A request that has not been queued yet.
#[must_use = "the request is not sent until `send` is called"]
pub struct UnsentRequest {
    client: PipelinedModelClient,
    inference: Inference,
    /// The timeout that the request itself sets.
    timeout: Option<Duration>,
}

/// A queued or running request. It is a future that can be awaited on any executor. Dropping it
/// cancels the request.
#[derive(Debug)]
#[must_use = "a request that is dropped is cancelled"]
pub struct Pending {
    task: JoinHandle<Result<Outputs, ClientError>>,
    /// Keeps the thread alive while the request is pending.
    _worker: Arc<Worker>,
}

/// A thread that waits for a response.
struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl PipelinedModelClient {
    /// Creates a client with PyTriton's defaults: 128 concurrent requests and 128 queued ones.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::InvalidUrl`], and [`ClientError::Thread`] if its thread cannot be
    /// started.
    pub fn new(url: &str, model: &str) -> Result<Self, ClientError> {
        Self::builder(url, model).build()
    }

    /// Returns a builder with further options.
    pub fn builder(url: &str, model: &str) -> Builder<Self> {
        Builder::new(url, model)
    }

    /// Prepares the request of [`AsyncModelClient::infer_batch`].
    pub fn infer_batch(&self, inputs: impl IntoInputs) -> UnsentRequest {
        self.infer_batch_with(inputs, InferOptions::new())
    }

    /// Prepares the request of [`AsyncModelClient::infer_batch_with`].
    pub fn infer_batch_with(
        &self,
        inputs: impl IntoInputs,
        options: InferOptions,
    ) -> UnsentRequest {
        let timeout = options.timeout;
        self.prepare(self.client.infer_batch_with(inputs, options), timeout)
    }

    /// Prepares the request of [`AsyncModelClient::infer_sample`].
    pub fn infer_sample(&self, inputs: impl IntoInputs) -> UnsentRequest {
        self.infer_sample_with(inputs, InferOptions::new())
    }

    /// Prepares the request of [`AsyncModelClient::infer_sample_with`].
    pub fn infer_sample_with(
        &self,
        inputs: impl IntoInputs,
        options: InferOptions,
    ) -> UnsentRequest {
        let timeout = options.timeout;
        self.prepare(self.client.infer_sample_with(inputs, options), timeout)
    }

    fn prepare(&self, inference: Inference, timeout: Option<Duration>) -> UnsentRequest {
        UnsentRequest {
            client: self.clone(),
            inference,
            timeout,
        }
    }

    /// Returns the underlying blocking client without these limits, for readiness, configuration,
    /// statistics and loading.
    pub fn client(&self) -> ModelClient {
        ModelClient {
            client: self.client.clone(),
            worker: Arc::clone(&self.pipeline.worker),
        }
    }

    /// Closes the client: queued and further requests fail with [`ClientError::Closed`]. Requests
    /// in flight are completed.
    pub fn close(&self) {
        self.client.close();
    }
}

impl UnsentRequest {
    /// Queues the request, and waits if the queue is full. This is the backpressure for a caller
    /// that sends faster than the server responds. The inference timeout, or the request's own,
    /// starts when the request is queued and includes the time in the queue.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::QueueFull`] if the queue stays full for the inference timeout, and
    /// [`ClientError::Closed`].
    pub async fn send(self) -> Result<Pending, ClientError> {
        let slot = self.slot().await;
        self.start(slot)
    }

    /// Like [`send`](Self::send), but blocks the thread.
    ///
    /// # Errors
    ///
    /// See [`send`](Self::send).
    pub fn blocking_send(self) -> Result<Pending, ClientError> {
        let free = Arc::clone(&self.client.pipeline.slots).try_acquire_owned();
        let slot = match free {
            Ok(slot) => Some(slot),
            Err(_) => self.client.pipeline.worker.run(self.slot())?,
        };
        self.start(slot)
    }

    /// Queues the request if the queue has space.
    ///
    /// # Errors
    ///
    /// Returns [`ClientError::QueueFull`] if the queue is full, and [`ClientError::Closed`].
    pub fn try_send(self) -> Result<Pending, ClientError> {
        let slot = Arc::clone(&self.client.pipeline.slots).try_acquire_owned();
        self.start(slot.ok())
    }

    fn slot(&self) -> impl Future<Output = Option<OwnedSemaphorePermit>> + Send + use<> {
        let limit = self.client.client.0.retry_policy.inference;
        let slot = Arc::clone(&self.client.pipeline.slots).acquire_owned();
        async move { timeout(limit, slot).await.ok()?.ok() }
    }

    fn start(self, slot: Option<OwnedSemaphorePermit>) -> Result<Pending, ClientError> {
        let Self {
            client,
            inference,
            timeout,
        } = self;
        let core = client.client.0;
        core.open()?;
        let Pipeline {
            worker,
            permits,
            limit,
            ..
        } = client.pipeline;
        let slot = slot.ok_or(ClientError::QueueFull { limit })?;
        let task = worker.spawn(async move {
            let _slot = slot;
            // The time in the client's queue counts, like the time in a server's queue.
            let (_, deadline) = core.begin(timeout).await?;
            let in_turn = async {
                let turn = permits.acquire_owned().await;
                let _turn = turn.map_err(|_| ClientError::Closed)?;
                inference.await
            };
            deadline.within(in_turn).await
        });
        Ok(Pending {
            task,
            _worker: worker,
        })
    }
}

impl std::fmt::Debug for UnsentRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UnsentRequest")
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

impl Pending {
    /// Blocks until the response arrives.
    ///
    /// # Errors
    ///
    /// See [`AsyncModelClient::infer_batch`].
    pub fn wait(self) -> Result<Outputs, ClientError> {
        // Within a task whose cooperative budget is used up, polling would otherwise never
        // complete.
        let mut pending = pin!(unconstrained(self));
        let waker = Waker::from(Arc::new(Parked(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match pending.as_mut().poll(&mut context) {
                Poll::Ready(outcome) => return outcome,
                Poll::Pending => thread::park(),
            }
        }
    }

    /// Returns whether the response has arrived.
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }
}

impl Future for Pending {
    type Output = Result<Outputs, ClientError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = Pin::new(&mut self.task).poll(context);
        // The task is never aborted from outside.
        outcome.map(|outcome| outcome.unwrap_or(Err(ClientError::Closed)))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Builder<PipelinedModelClient> {
    /// Sets the number of concurrent requests; the default is 128.
    pub fn max_in_flight(mut self, count: usize) -> Self {
        self.bounds.in_flight = count;
        self
    }

    /// Sets the number of queued requests; the default is 128.
    pub fn max_queue_size(mut self, count: usize) -> Self {
        self.bounds.queue = count;
        self
    }

    /// Creates a client that connects on first use.
    ///
    /// # Errors
    ///
    /// See [`PipelinedModelClient::new`]. Also [`ClientError::Inputs`] if a limit is zero or the
    /// access token is not a valid header value, and [`ClientError::Tls`] for invalid certificates.
    pub fn build(self) -> Result<PipelinedModelClient, ClientError> {
        let Bounds { in_flight, queue } = self.bounds;
        let slots = in_flight.saturating_add(queue);
        for (count, what) in [(in_flight, "under way"), (queue, "waiting")] {
            if count == 0 || slots > Semaphore::MAX_PERMITS {
                return Err(ClientError::inputs(format!(
                    "the limit of {count} requests {what} is zero or too large"
                )));
            }
        }
        Ok(PipelinedModelClient {
            client: self.of::<AsyncModelClient>().build()?,
            pipeline: Pipeline {
                worker: Worker::start()?,
                slots: Arc::new(Semaphore::new(slots)),
                permits: Arc::new(Semaphore::new(in_flight)),
                limit: queue,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::time::Instant;

    use ndarray::array;
    use serde_json::json;

    use super::*;
    use crate::{ModelConfig, Stage};

    #[test]
    fn timeout_includes_the_time_in_the_queue() {
        // A server that accepts connections and never responds.
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let config = json!({
            "name": "Silent",
            "max_batch_size": 8,
            "input": [{"name": "x", "data_type": "TYPE_INT32", "dims": [1]}],
        });
        let config = ModelConfig::from_json(&config).unwrap();
        for scheme in ["http", "grpc"] {
            let url = format!("{scheme}://{}", server.local_addr().unwrap());
            let limit = Duration::from_millis(400);
            let client = PipelinedModelClient::builder(&url, "Silent")
                .model_config(Arc::new(config.clone()))
                .inference_timeout(limit)
                .max_in_flight(1)
                .build()
                .unwrap();
            let begun = Instant::now();
            let ask = || client.infer_sample(array![1]).try_send().unwrap();
            let hasty = InferOptions::new().timeout(limit / 2);
            let hasty = client.infer_sample_with(array![1], hasty).try_send();
            let mut requests: Vec<_> = (0..20).map(|_| (ask(), limit)).collect();
            requests.push((hasty.unwrap(), limit / 2));
            for (request, limit) in requests {
                let error = request.wait().unwrap_err();
                let ClientError::Timeout { stage, timeout, .. } = error else {
                    panic!("{error:?}")
                };
                assert_eq!((stage, timeout), (Stage::Inference, limit));
            }
            // Sequentially they would have taken eight seconds.
            assert!(begun.elapsed() < 10 * limit, "{:?}", begun.elapsed());
        }
    }
}
