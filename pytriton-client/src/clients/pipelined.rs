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

/// A client that has many requests under way at a time, and a bounded number waiting behind them: what PyTriton's
/// `FuturesModelClient` is for. Requests go on while nobody looks at them, on a thread of the client's own, so that it may be used
/// with a runtime and without one.
///
/// # Examples
///
/// ```no_run
/// use ndarray::{Ix1, array};
/// use pytriton_client::PipelinedModelClient;
///
/// # fn main() -> Result<(), pytriton_client::ClientError> {
/// let client = PipelinedModelClient::builder("grpc://localhost", "AddSub").max_under_way(16).build()?;
/// let asked = (0..1000).map(|number| client.infer_sample((array![number], array![1])).blocking_send());
/// for pending in asked.collect::<Result<Vec<_>, _>>()? {
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

/// How many requests may be under way, and how many may wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) under_way: usize,
    pub(super) queue: usize,
}

/// As many as PyTriton has threads and places.
impl Default for Bounds {
    fn default() -> Self {
        Self {
            under_way: 128,
            queue: 128,
        }
    }
}

#[derive(Debug, Clone)]
struct Pipeline {
    worker: Arc<Worker>,
    /// One for each request that is under way or waits.
    places: Arc<Semaphore>,
    /// One for each that is under way.
    turns: Arc<Semaphore>,
    limit: usize,
}

/// A request that has no place yet.
#[must_use = "nothing is asked before it is sent"]
pub struct Asked {
    client: PipelinedModelClient,
    inference: Inference,
    /// The time that the request itself names.
    timeout: Option<Duration>,
}

/// A request that waits or is under way. It is a future, which can be awaited anywhere; dropped, the request is cancelled.
#[derive(Debug)]
#[must_use = "a request that is dropped is cancelled"]
pub struct Pending {
    task: JoinHandle<Result<Outputs, ClientError>>,
    /// Lives as long as somebody waits.
    _worker: Arc<Worker>,
}

/// A thread that waits for an answer.
struct Parked(Thread);

impl Wake for Parked {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl PipelinedModelClient {
    /// A client with PyTriton's defaults: 128 requests under way, and as many waiting.
    ///
    /// # Errors
    ///
    /// [`ClientError::InvalidUrl`], and [`ClientError::Thread`] where there is no thread for it.
    pub fn new(url: &str, model: &str) -> Result<Self, ClientError> {
        Self::builder(url, model).build()
    }

    /// A client that is told more.
    pub fn builder(url: &str, model: &str) -> Builder<Self> {
        Builder::new(url, model)
    }

    /// What [`AsyncModelClient::infer_batch`] asks, to be sent.
    pub fn infer_batch(&self, inputs: impl IntoInputs) -> Asked {
        self.infer_batch_with(inputs, InferOptions::new())
    }

    /// What [`AsyncModelClient::infer_batch_with`] asks, to be sent.
    pub fn infer_batch_with(&self, inputs: impl IntoInputs, options: InferOptions) -> Asked {
        let timeout = options.timeout;
        self.asked(self.client.infer_batch_with(inputs, options), timeout)
    }

    /// What [`AsyncModelClient::infer_sample`] asks, to be sent.
    pub fn infer_sample(&self, inputs: impl IntoInputs) -> Asked {
        self.infer_sample_with(inputs, InferOptions::new())
    }

    /// What [`AsyncModelClient::infer_sample_with`] asks, to be sent.
    pub fn infer_sample_with(&self, inputs: impl IntoInputs, options: InferOptions) -> Asked {
        let timeout = options.timeout;
        self.asked(self.client.infer_sample_with(inputs, options), timeout)
    }

    fn asked(&self, inference: Inference, timeout: Option<Duration>) -> Asked {
        Asked {
            client: self.clone(),
            inference,
            timeout,
        }
    }

    /// The same client, blocking and without bounds, for what is no inference: readiness, configuration, statistics, loading.
    pub fn client(&self) -> ModelClient {
        ModelClient {
            client: self.client.clone(),
            worker: Arc::clone(&self.pipeline.worker),
        }
    }

    /// Ends the client: what is sent from now on, and what waits, is [`ClientError::Closed`]. What is under way is answered.
    pub fn close(&self) {
        self.client.close();
    }
}

impl Asked {
    /// Sends it when there is a place: this is what slows down who asks more than is answered. From then on it takes the client's time
    /// for an inference at most, or its own, also where it has to wait for others.
    ///
    /// # Errors
    ///
    /// [`ClientError::QueueFull`] when there is none within the client's time for an inference, and [`ClientError::Closed`].
    pub async fn send(self) -> Result<Pending, ClientError> {
        let place = self.place().await;
        self.start(place)
    }

    /// The same, blocking.
    ///
    /// # Errors
    ///
    /// As [`send`](Self::send).
    pub fn blocking_send(self) -> Result<Pending, ClientError> {
        let free = Arc::clone(&self.client.pipeline.places).try_acquire_owned();
        let place = match free {
            Ok(place) => Some(place),
            Err(_) => self.client.pipeline.worker.run(self.place())?,
        };
        self.start(place)
    }

    /// Sends it where there is a place at once.
    ///
    /// # Errors
    ///
    /// [`ClientError::QueueFull`] where there is none, and [`ClientError::Closed`].
    pub fn try_send(self) -> Result<Pending, ClientError> {
        let place = Arc::clone(&self.client.pipeline.places).try_acquire_owned();
        self.start(place.ok())
    }

    fn place(&self) -> impl Future<Output = Option<OwnedSemaphorePermit>> + Send + use<> {
        let limit = self.client.client.0.patience.inference;
        let place = Arc::clone(&self.client.pipeline.places).acquire_owned();
        async move { timeout(limit, place).await.ok()?.ok() }
    }

    fn start(self, place: Option<OwnedSemaphorePermit>) -> Result<Pending, ClientError> {
        let Self {
            client,
            inference,
            timeout,
        } = self;
        let core = client.client.0;
        core.open()?;
        let Pipeline {
            worker,
            turns,
            limit,
            ..
        } = client.pipeline;
        let place = place.ok_or(ClientError::QueueFull { limit })?;
        let task = worker.spawn(async move {
            let _place = place;
            // The time goes on while the request waits for its turn, as it does in the queue of a server.
            let (_, deadline) = core.begin(timeout).await?;
            let in_turn = async {
                let turn = turns.acquire_owned().await;
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

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked")
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}

impl Pending {
    /// Waits for the answer, blocking.
    ///
    /// # Errors
    ///
    /// As [`AsyncModelClient::infer_batch`].
    pub fn wait(self) -> Result<Outputs, ClientError> {
        // Within a task of somebody's runtime that has no budget left, it would be told to come back when the task does.
        let mut pending = pin!(unconstrained(self));
        let waker = Waker::from(Arc::new(Parked(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match pending.as_mut().poll(&mut context) {
                Poll::Ready(answered) => return answered,
                Poll::Pending => thread::park(),
            }
        }
    }

    /// Whether the answer is there.
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }
}

impl Future for Pending {
    type Output = Result<Outputs, ClientError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let answered = Pin::new(&mut self.task).poll(context);
        // The task ends by itself alone.
        answered.map(|answered| answered.unwrap_or(Err(ClientError::Closed)))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Builder<PipelinedModelClient> {
    /// How many requests may be under way; 128 otherwise.
    pub fn max_under_way(mut self, count: usize) -> Self {
        self.bounds.under_way = count;
        self
    }

    /// How many requests may wait behind them; 128 otherwise.
    pub fn max_queue_size(mut self, count: usize) -> Self {
        self.bounds.queue = count;
        self
    }

    /// A client that connects when it is first needed.
    ///
    /// # Errors
    ///
    /// As [`PipelinedModelClient::new`], [`ClientError::Inputs`] where no request may be under way or wait, or for an access token
    /// that no header can have, and [`ClientError::Tls`] for certificates that are none.
    pub fn build(self) -> Result<PipelinedModelClient, ClientError> {
        let Bounds { under_way, queue } = self.bounds;
        let places = under_way.saturating_add(queue);
        for (count, what) in [(under_way, "under way"), (queue, "waiting")] {
            if count == 0 || places > Semaphore::MAX_PERMITS {
                return Err(ClientError::inputs(format!(
                    "{count} requests {what} are none or too many"
                )));
            }
        }
        Ok(PipelinedModelClient {
            client: self.of::<AsyncModelClient>().build()?,
            pipeline: Pipeline {
                worker: Worker::start()?,
                places: Arc::new(Semaphore::new(places)),
                turns: Arc::new(Semaphore::new(under_way)),
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
    fn the_time_of_a_request_goes_on_while_it_waits_for_its_turn() {
        // Accepts, and never answers.
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
                .max_under_way(1)
                .build()
                .unwrap();
            let begun = Instant::now();
            let ask = || client.infer_sample(array![1]).try_send().unwrap();
            let hasty = InferOptions::new().timeout(limit / 2);
            let hasty = client.infer_sample_with(array![1], hasty).try_send();
            let mut asked: Vec<_> = (0..20).map(|_| (ask(), limit)).collect();
            asked.push((hasty.unwrap(), limit / 2));
            for (pending, limit) in asked {
                let error = pending.wait().unwrap_err();
                let ClientError::Timeout { stage, timeout, .. } = error else {
                    panic!("{error:?}")
                };
                assert_eq!((stage, timeout), (Stage::Inference, limit));
            }
            // One after the other they would have taken eight seconds.
            assert!(begun.elapsed() < 10 * limit, "{:?}", begun.elapsed());
        }
    }
}
