use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

use parking_lot::Mutex;

use super::{Counter, Durations, FailureReason, Latencies, ModelStatistics, ModelTotals};

/// Records the statistics of a model. One lock, acquired once per execution.
#[derive(Debug, Default)]
pub struct Recorder {
    counted: Mutex<Counted>,
    /// The number of requests being executed.
    running: AtomicU64,
}

#[derive(Debug, Default)]
struct Counted {
    statistics: ModelStatistics,
    /// The last execution, if its wall-clock time is not yet in the statistics: it is needed only
    /// when they are read.
    last_execution: Option<Instant>,
    /// `None` if no distribution is enabled.
    latencies: Option<Box<Latencies>>,
}

/// The number of responses of a request with separate statistics, which bounds the memory.
pub const MAX_RESPONSE_STATISTICS: u32 = 1024;

/// One execution of a batch.
#[derive(Debug, Clone, Copy, Default)]
pub struct Execution {
    /// The number of rows.
    pub batch_size: usize,
    /// The durations of its phases.
    pub durations: Durations,
}

/// The outcome of a request in an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestOutcome {
    /// It succeeded.
    Succeeded(Success),
    /// It failed this many nanoseconds after its arrival.
    Failed(u64),
}

/// A successful request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Success {
    /// The number of rows.
    pub batch_size: usize,
    /// The time from arrival to response, in nanoseconds.
    pub request: u64,
    /// The time in the queue, in nanoseconds.
    pub queue: u64,
}

/// A request that was served from the response cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheHit {
    /// The time from arrival to response, in nanoseconds.
    pub request: u64,
    /// The time until the cache lookup, in nanoseconds.
    pub queue: u64,
    /// The duration of the lookup, in nanoseconds.
    pub lookup: u64,
}

impl Recorder {
    /// Enables latency distributions from now on.
    pub fn distribute(&self, latencies: Option<Latencies>) {
        self.counted.lock().latencies = latencies.map(Box::new);
    }

    /// The latency distributions; `None` if none is enabled.
    pub fn latencies(&self) -> Option<Latencies> {
        let counted = self.counted.lock();
        let latencies = counted.latencies.as_ref();
        latencies.map(|latencies| latencies.at(Instant::now()))
    }

    /// Adds requests that are being executed.
    pub fn begin(&self, requests: usize) {
        self.running.fetch_add(requests as u64, Ordering::Relaxed);
    }

    /// Removes requests that are no longer being executed.
    pub fn end(&self, requests: usize) {
        self.running.fetch_sub(requests as u64, Ordering::Relaxed);
    }

    /// The number of requests being executed.
    pub fn running(&self) -> u64 {
        self.running.load(Ordering::Relaxed)
    }

    /// Records an execution that has ended now, and its requests, which have one or more responses.
    ///
    /// As in Triton, rows of failed requests do not count as inferences, but their execution
    /// counts.
    pub fn record(
        &self,
        execution: Execution,
        now: Instant,
        responded_once: bool,
        requests: impl Iterator<Item = RequestOutcome>,
    ) {
        let durations = execution.durations;
        let mut counted = self.counted.lock();
        let Counted {
            statistics,
            last_execution,
            latencies,
        } = &mut *counted;
        *last_execution = Some(now);
        let ModelStatistics {
            totals, batches, ..
        } = statistics;
        totals.execution_count += 1;
        let batch = batches.entry(execution.batch_size).or_default();
        batch.compute_input.add(1, durations.compute_input);
        batch.compute_infer.add(1, durations.compute_infer);
        batch.compute_output.add(1, durations.compute_output);
        let busy = [
            durations.compute_input,
            durations.compute_infer,
            durations.compute_output,
        ];
        let busy = busy.into_iter().fold(0, u64::saturating_add);
        totals.counters.add(Counter::Busy, busy);
        for request in requests {
            match request {
                RequestOutcome::Succeeded(success) => {
                    totals.inference_count += success.batch_size as u64;
                    totals.success.add(1, success.request);
                    totals.queue.add(1, success.queue);
                    totals.compute_input.add(1, durations.compute_input);
                    totals.compute_infer.add(1, durations.compute_infer);
                    totals.compute_output.add(1, durations.compute_output);
                    if let Some(latencies) = latencies {
                        latencies.executed(&success, &durations, responded_once);
                    }
                }
                RequestOutcome::Failed(ns) => {
                    totals.fail.add(1, ns);
                    totals.failures[FailureReason::Backend as usize] += 1;
                }
            }
        }
    }

    /// Adds to a counter, in its unit.
    pub fn count(&self, counter: Counter, amount: u64) {
        let totals = &mut self.counted.lock().statistics.totals;
        totals.counters.add(counter, amount);
    }

    /// Records a request that failed without being executed, `ns` nanoseconds after its arrival.
    pub fn record_failure(&self, reason: FailureReason, ns: u64) {
        let totals = &mut self.counted.lock().statistics.totals;
        totals.fail.add(1, ns);
        totals.failures[reason as usize] += 1;
    }

    /// Records a request that was served from the response cache, which is neither an inference nor
    /// an execution.
    pub fn record_hit(&self, hit: &CacheHit) {
        let mut counted = self.counted.lock();
        let totals = &mut counted.statistics.totals;
        totals.success.add(1, hit.request);
        totals.queue.add(1, hit.queue);
        totals.cache_hit.add(1, hit.lookup);
        if let Some(latencies) = &mut counted.latencies {
            latencies.hit(hit);
        }
    }

    /// Records a response of a decoupled model: its index within the request, the time since the
    /// previous one, and the time since the arrival of the request.
    ///
    /// Source: `InferenceStatsAggregator::UpdateResponse…` in Triton 2.51.
    pub fn record_response(&self, index: u32, ns: u64, since_arrival: u64, succeeded: bool) {
        if index >= MAX_RESPONSE_STATISTICS {
            return;
        }
        let mut counted = self.counted.lock();
        if let Some(latencies) = &mut counted.latencies
            && index == 0
            && succeeded
        {
            latencies.first_response(since_arrival);
        }
        let statistics = &mut counted.statistics;
        let answer = statistics.responses.entry(index).or_default();
        answer.compute_infer.add(1, ns);
        match succeeded {
            true => {
                answer.compute_output.add(1, 0);
                answer.success.add(1, ns);
            }
            false => answer.fail.add(1, ns),
        }
    }

    /// Records a request that was not in the response cache. The lookup and the insertion took `ns`
    /// nanoseconds, which the execution does not include.
    ///
    /// As in Triton, they are added to the durations of successful requests, whether this one
    /// succeeded or not.
    ///
    /// Source: `InferenceStatsAggregator::UpdateSuccessCacheMiss` in Triton 2.51.
    pub fn record_miss(&self, ns: u64) {
        let mut counted = self.counted.lock();
        let totals = &mut counted.statistics.totals;
        totals.cache_miss.add(1, ns);
        totals.success.ns += ns;
        if let Some(latencies) = &mut counted.latencies {
            latencies.miss(ns);
        }
    }

    /// The statistics so far, with `pending` waiting requests.
    pub fn snapshot(&self, pending: u64) -> ModelStatistics {
        let mut counted = self.counted.lock();
        let totals = self.current(&mut counted, pending);
        ModelStatistics {
            totals,
            ..counted.statistics.clone()
        }
    }

    /// The same without the statistics by batch size and by response, whose number is unlimited.
    pub fn totals(&self, pending: u64) -> ModelTotals {
        self.current(&mut self.counted.lock(), pending)
    }

    /// Returns the totals with the time of the last execution and the current requests.
    fn current(&self, counted: &mut Counted, pending: u64) -> ModelTotals {
        let totals = &mut counted.statistics.totals;
        if let Some(last) = counted.last_execution.take() {
            totals.last_inference = SystemTime::now().checked_sub(last.elapsed());
        }
        ModelTotals {
            pending,
            running: self.running(),
            ..*totals
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::statistics::StatisticDuration;

    #[test]
    fn rows_executions_and_failures_are_counted_separately() {
        let recorder = Recorder::default();
        let execution = Execution {
            batch_size: 3,
            durations: Durations {
                compute_infer: 10,
                ..Durations::default()
            },
        };
        let success = Success {
            batch_size: 2,
            request: 30,
            queue: 5,
        };
        let requests = [
            RequestOutcome::Succeeded(success),
            RequestOutcome::Failed(40),
        ];
        recorder.distribute(Latencies::new(true, true));
        recorder.begin(3);
        let before = SystemTime::now();
        recorder.record(execution, Instant::now(), true, requests.into_iter());
        recorder.end(2);
        recorder.record_failure(FailureReason::Rejected, 1);
        let statistics = recorder.snapshot(7);
        let totals = statistics.totals;
        assert_eq!(totals.inference_count, 2);
        assert_eq!(totals.execution_count, 1);
        assert_eq!(totals.success.count, 1);
        assert_eq!(totals.fail.count, 2);
        assert_eq!(totals.fail.ns, 41);
        assert_eq!(totals.failures, [1, 0, 1, 0]);
        assert_eq!(statistics.batches[&3].compute_infer.ns, 10);
        assert_eq!(totals.pending, 7);
        assert_eq!(
            (totals.running, totals.counters.get(Counter::Busy)),
            (1, 10)
        );
        let last = totals.last_inference.unwrap();
        // The clocks are not read at the same moment.
        let least = before - Duration::from_millis(1);
        assert!((least..=SystemTime::now()).contains(&last));
        assert_eq!(recorder.totals(7), totals);
        let latencies = recorder.latencies().unwrap();
        let histograms = latencies.histograms.unwrap();
        assert_eq!(
            (histograms.request.count(), histograms.request.ns()),
            (1, 30)
        );
        assert_eq!((histograms.queue.ns(), histograms.compute.ns()), (5, 10));
        assert_eq!(histograms.first_response.count(), 1);
        assert_eq!(
            latencies.summaries.unwrap().queue.quantiles(&[0.5]),
            [Some(5)]
        );
    }

    #[test]
    fn cache_hits_count_as_successes_without_an_execution() {
        let recorder = Recorder::default();
        recorder.record_hit(&CacheHit {
            request: 9,
            queue: 4,
            lookup: 3,
        });
        recorder.record_miss(10);
        recorder.record_miss(20);
        let totals = recorder.totals(0);
        assert_eq!(totals.success, StatisticDuration { count: 1, ns: 39 });
        assert_eq!(totals.queue, StatisticDuration { count: 1, ns: 4 });
        assert_eq!(totals.fail, StatisticDuration::default());
        assert_eq!(totals.cache_hit, StatisticDuration { count: 1, ns: 3 });
        assert_eq!(totals.cache_miss, StatisticDuration { count: 2, ns: 30 });
        assert_eq!(totals.inference_count, 0);
        assert_eq!(totals.execution_count, 0);
        assert_eq!(totals.last_inference, None);
        assert_eq!(totals.compute_infer.count, 0);
    }
}
