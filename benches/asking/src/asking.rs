use std::collections::VecDeque;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pytriton_client::ndarray::Array2;
use pytriton_client::{
    AsyncModelClient, IntoTensor, ModelClient, Outputs, Pending, PipelinedModelClient, Tensor,
};
use tokio::runtime::Builder;
use tokio::task::JoinSet;

use crate::error::Error;

/// The parameters of a run.
pub(crate) struct Asking {
    url: String,
    model: String,
    tensor: Tensor,
    under_way: usize,
    enough: Enough,
}

/// When a run ends.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Enough {
    Requests(u64),
    After(Duration),
}

/// The measurements after the first response.
pub(crate) struct Done {
    pub(crate) requests: u64,
    pub(crate) seconds: Duration,
    pub(crate) processors: Duration,
}

/// The state that all senders share.
struct Count {
    enough: Enough,
    asked: AtomicU64,
    begun: Instant,
    before: Duration,
}

impl Asking {
    pub(crate) fn new(
        url: &str,
        model: &str,
        bytes: usize,
        under_way: usize,
        enough: Enough,
    ) -> Result<Self, Error> {
        let elements = bytes / size_of::<f32>();
        Ok(Self {
            url: url.to_owned(),
            model: model.to_owned(),
            tensor: Array2::<f32>::ones((1, elements)).into_tensor()?,
            under_way,
            enough,
        })
    }

    pub(crate) fn asynchronous(self) -> Result<Done, Error> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async move {
            let client = AsyncModelClient::new(&self.url, &self.model)?;
            self.check(&client.infer_batch(&self.tensor).await?)?;
            let (count, asking) = (Arc::new(Count::start(self.enough)?), Arc::new(self));
            let mut running = JoinSet::new();
            for _ in 0..asking.under_way {
                let (client, count, asking) =
                    (client.clone(), Arc::clone(&count), Arc::clone(&asking));
                running.spawn(async move {
                    while count.another() {
                        asking.check(&client.infer_batch(&asking.tensor).await?)?;
                    }
                    Ok::<_, Error>(())
                });
            }
            while let Some(ended) = running.join_next().await {
                ended.map_err(|_| Error::Ended)??;
            }
            count.done()
        })
    }

    pub(crate) fn blocking(self) -> Result<Done, Error> {
        let client = ModelClient::new(&self.url, &self.model)?;
        self.check(&client.infer_batch(&self.tensor)?)?;
        let count = Count::start(self.enough)?;
        thread::scope(|scope| {
            let ask = || {
                while count.another() {
                    self.check(&client.infer_batch(&self.tensor)?)?;
                }
                Ok::<_, Error>(())
            };
            let threads: Vec<_> = (0..self.under_way).map(|_| scope.spawn(ask)).collect();
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().map_err(|_| Error::Ended)?)
        })?;
        count.done()
    }

    pub(crate) fn pipelined(self) -> Result<Done, Error> {
        let client = PipelinedModelClient::builder(&self.url, &self.model)
            .max_in_flight(self.under_way)
            .build()?;
        let ask = || client.infer_batch(&self.tensor).blocking_send();
        self.check(&ask()?.wait()?)?;
        let count = Count::start(self.enough)?;
        let mut pending: VecDeque<Pending> = VecDeque::with_capacity(self.under_way);
        while count.another() {
            if pending.len() == self.under_way
                && let Some(first) = pending.pop_front()
            {
                self.check(&first.wait()?)?;
            }
            pending.push_back(ask()?);
        }
        for last in pending {
            self.check(&last.wait()?)?;
        }
        count.done()
    }

    /// Compares only the sizes of response and request, because that costs almost nothing.
    fn check(&self, outputs: &Outputs) -> Result<(), Error> {
        let tensor = outputs.tensor("OUTPUT_1").ok_or(Error::Answer)?;
        match tensor.data().len() == self.tensor.data().len() {
            true => Ok(()),
            false => Err(Error::Answer),
        }
    }
}

impl Count {
    fn start(enough: Enough) -> Result<Self, Error> {
        Ok(Self {
            enough,
            asked: AtomicU64::new(0),
            begun: Instant::now(),
            before: processors()?,
        })
    }

    /// Returns whether another request should be sent.
    fn another(&self) -> bool {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let goes_on = match self.enough {
            Enough::Requests(count) => asked < count,
            Enough::After(time) => self.begun.elapsed() < time,
        };
        if !goes_on {
            self.asked.fetch_sub(1, Ordering::Relaxed);
        }
        goes_on
    }

    fn done(&self) -> Result<Done, Error> {
        Ok(Done {
            requests: self.asked.load(Ordering::Relaxed),
            seconds: self.begun.elapsed(),
            processors: processors()?.saturating_sub(self.before),
        })
    }
}

/// Returns the CPU time of the process so far, user and system.
fn processors() -> Result<Duration, Error> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // Skips the program name, which may contain any character.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: Option<Vec<u64>> = ticks.map(|field| field.parse().ok()).collect();
    let ticks = ticks.ok_or(Error::Processors)?.into_iter().sum::<u64>();
    Ok(Duration::from_millis(ticks * 10))
}
