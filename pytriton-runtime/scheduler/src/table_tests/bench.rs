//! A queue, consumers of its batches, and a log of events with milliseconds.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use pytriton_core::model::{ModelSpec, TensorDeclaration};
use pytriton_core::registry::ModelDeclaration;
use pytriton_core::request::{Identity, InferInput, InferRequest, ParameterValue, Request};
use pytriton_core::response_channel::SchedulerError;
use pytriton_core::statistics::FailureReason;
use pytriton_core::tensor::DataType;
use pytriton_core::testing::{IDENTITY, fp32};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

use crate::Policy;
use crate::dynamic::DynamicQueue;
use crate::message::Enqueued;

/// The queue size of a level without a limit.
const WAITING: usize = 16;

/// Longer than anything in a table takes.
const OVER: Duration = Duration::from_secs(10);

/// A request with one row and one column at the default level, with the timeout of the level.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestRequest {
    at: u64,
    number: u8,
    rows: usize,
    columns: usize,
    second: bool,
    key: Option<i64>,
    client: &'static str,
    level: u64,
    timeout: u64,
}

/// A request with this number that arrives at this millisecond.
pub(super) const fn ask(at: u64, number: u8) -> TestRequest {
    TestRequest {
        at,
        number,
        rows: 1,
        columns: 1,
        second: false,
        key: None,
        client: "",
        level: 0,
        timeout: 0,
    }
}

impl TestRequest {
    pub(super) const fn rows(self, rows: usize) -> Self {
        Self { rows, ..self }
    }

    pub(super) const fn columns(self, columns: usize) -> Self {
        Self { columns, ..self }
    }

    /// Adds the input that others omit.
    pub(super) const fn second(self) -> Self {
        Self {
            second: true,
            ..self
        }
    }

    /// Adds a parameter.
    pub(super) const fn key(self, key: i64) -> Self {
        Self {
            key: Some(key),
            ..self
        }
    }

    /// Sets the client.
    pub(super) const fn client(self, client: &'static str) -> Self {
        Self { client, ..self }
    }

    pub(super) const fn level(self, level: u64) -> Self {
        Self { level, ..self }
    }

    /// Sets the timeout in milliseconds.
    pub(super) const fn timeout(self, timeout: u64) -> Self {
        Self { timeout, ..self }
    }

    fn request(self, spec: &Arc<ModelSpec>) -> Request {
        let names = ["INPUT_1", "INPUT_2"].into_iter();
        let inputs = names.take(1 + usize::from(self.second));
        let dims = [self.rows, self.columns];
        let mut request = InferRequest {
            id: self.number.to_string(),
            priority: self.level,
            timeout_microseconds: self.timeout * 1000,
            inputs: inputs
                .map(|name| InferInput {
                    name: name.to_owned(),
                    datatype: DataType::Fp32,
                    shape: dims.map(|dim| i64::try_from(dim).unwrap()).to_vec(),
                    data: fp32(&vec![0.0; self.rows * self.columns]),
                })
                .collect(),
            ..InferRequest::new(pytriton_core::memory_budget::MemoryPermit::unlimited())
        };
        if let Some(key) = self.key {
            request.parameters.insert("key", ParameterValue::Int64(key));
        }
        request.identity = Identity::default().with_token(self.client);
        Request::check(spec, request).unwrap()
    }
}

/// `IDENTITY` with an optional input.
pub(super) const MODEL: ModelDeclaration = ModelDeclaration {
    inputs: &[
        IDENTITY.inputs[0],
        TensorDeclaration {
            name: "INPUT_2",
            optional: true,
            ..IDENTITY.inputs[0]
        },
    ],
    ..IDENTITY
};

/// The consumers of a queue: how many concurrent calls, and how long each takes in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Takers {
    pub(super) calls: usize,
    pub(super) milliseconds: u64,
}

/// A consumer for every batch at any time.
pub(super) const AT_ONCE: Takers = Takers {
    calls: usize::MAX,
    milliseconds: 0,
};

/// One call at a time.
pub(super) const fn one(milliseconds: u64) -> Takers {
    Takers {
        calls: 1,
        milliseconds,
    }
}

/// A queue and a log of its events.
#[derive(Debug)]
struct Bench {
    spec: Arc<ModelSpec>,
    queue: DynamicQueue,
    begun: Instant,
    log: Mutex<Vec<String>>,
}

/// Returns all events for these requests. The queue may be closed at some time.
pub(super) async fn happens(
    model: &ModelDeclaration,
    served: Takers,
    asked: &[TestRequest],
    closed: Option<u64>,
) -> Vec<String> {
    let spec = Arc::new(model.spec().unwrap());
    let bench = Arc::new(Bench {
        queue: DynamicQueue::new(Policy::new(&spec, WAITING), served.calls),
        spec,
        begun: Instant::now(),
        log: Mutex::default(),
    });
    let takers = (0..served.calls.min(4)).map(|_| tokio::spawn(Arc::clone(&bench).take(served)));
    let takers: Vec<JoinHandle<()>> = takers.collect();
    let coming = asked
        .iter()
        .map(|asked| tokio::spawn(Arc::clone(&bench).submit(*asked)));
    let coming: Vec<JoinHandle<()>> = coming.collect();
    match closed {
        Some(at) => {
            sleep_until(bench.at(at)).await;
            bench.queue.close();
        }
        None => sleep(OVER).await,
    }
    for coming in coming {
        coming.await.unwrap();
    }
    for taker in takers {
        match closed {
            Some(_) => taker.await.unwrap(),
            None => taker.abort(),
        }
    }
    assert_eq!(bench.queue.pending(), 0);
    let log = bench.log.lock();
    log.clone()
}

impl Bench {
    /// Takes batches until the queue ends.
    async fn take(self: Arc<Self>, served: Takers) {
        while let Some(batch) = self.queue.next_batch().await {
            let numbers: Vec<&str> = batch.requests.iter().map(Request::id).collect();
            self.note(&numbers.join(" "));
            sleep(Duration::from_millis(served.milliseconds)).await;
            self.queue.release(batch.origin.is_inline());
            if self.queue.pending() > 0 {
                self.queue.wake();
            }
        }
    }

    /// Adds a request, and waits until it is taken, refused or times out.
    async fn submit(self: Arc<Self>, asked: TestRequest) {
        sleep_until(self.at(asked.at)).await;
        let number = asked.number;
        let Enqueued {
            ticket,
            refused,
            mut receiver,
            ..
        } = match self.queue.push(asked.request(&self.spec)) {
            Ok(enqueued) => enqueued,
            Err(error) => return self.refuse(number, &error),
        };
        let late = async {
            match refused {
                Some(refused) => sleep_until(refused).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            answer = receiver.next() => if let Some(Err(error)) = answer {
                self.refuse(number, &error);
            },
            () = late => if self.queue.withdraw(ticket, FailureReason::Rejected) {
                self.refuse(number, &SchedulerError::Timeout);
            },
        }
    }

    fn refuse(&self, number: u8, error: &SchedulerError) {
        let error = match error {
            SchedulerError::QueueFull { .. } => "full",
            SchedulerError::Timeout => "late",
            SchedulerError::Stopping => "stopping",
            other => panic!("{number}: {other}"),
        };
        self.note(&format!("{number} {error}"));
    }

    fn note(&self, what: &str) {
        let milliseconds = self.begun.elapsed().as_millis();
        let mut log = self.log.lock();
        log.push(format!("{milliseconds}: {what}"));
    }

    fn at(&self, milliseconds: u64) -> Instant {
        self.begun + Duration::from_millis(milliseconds)
    }
}
