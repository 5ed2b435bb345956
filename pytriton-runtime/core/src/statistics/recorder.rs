use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};

use parking_lot::Mutex;

use super::{Durations, FailureReason, Latencies, ModelStatistics};

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
        statistics.execution_count += 1;
        let batch = statistics.batches.entry(execution.batch_size).or_default();
        batch.compute_input.add(1, durations.compute_input);
        batch.compute_infer.add(1, durations.compute_infer);
        batch.compute_output.add(1, durations.compute_output);
        let busy = [
            durations.compute_input,
            durations.compute_infer,
            durations.compute_output,
        ];
        statistics.busy = busy.into_iter().fold(statistics.busy, u64::saturating_add);
        for request in requests {
            match request {
                RequestOutcome::Succeeded(success) => {
                    statistics.inference_count += success.batch_size as u64;
                    statistics.success.add(1, success.request);
                    statistics.queue.add(1, success.queue);
                    statistics.compute_input.add(1, durations.compute_input);
                    statistics.compute_infer.add(1, durations.compute_infer);
                    statistics.compute_output.add(1, durations.compute_output);
                    if let Some(latencies) = latencies {
                        latencies.executed(&success, &durations, responded_once);
                    }
                }
                RequestOutcome::Failed(ns) => {
                    statistics.fail.add(1, ns);
                    statistics.failures[FailureReason::Backend as usize] += 1;
                }
            }
        }
    }

    /// Records a request that failed without being executed, `ns` nanoseconds after its arrival.
    pub fn record_failure(&self, reason: FailureReason, ns: u64) {
        let statistics = &mut self.counted.lock().statistics;
        statistics.fail.add(1, ns);
        statistics.failures[reason as usize] += 1;
    }

    /// Records a request that was served from the response cache, which is neither an inference nor
    /// an execution.
    pub fn record_hit(&self, hit: &CacheHit) {
        let mut counted = self.counted.lock();
        let statistics = &mut counted.statistics;
        statistics.success.add(1, hit.request);
        statistics.queue.add(1, hit.queue);
        statistics.cache_hit.add(1, hit.lookup);
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
        counted.statistics.cache_miss.add(1, ns);
        counted.statistics.success.ns += ns;
        if let Some(latencies) = &mut counted.latencies {
            latencies.miss(ns);
        }
    }

    /// The statistics so far, with `pending` waiting requests.
    pub fn snapshot(&self, pending: u64) -> ModelStatistics {
        ModelStatistics {
            pending,
            running: self.running(),
            ..self.counted.lock().current().clone()
        }
    }

    /// The same without the statistics by batch size and by response, whose number is unlimited.
    pub fn sums(&self, pending: u64) -> ModelStatistics {
        let mut counted = self.counted.lock();
        let statistics = counted.current();
        ModelStatistics {
            last_inference: statistics.last_inference,
            inference_count: statistics.inference_count,
            execution_count: statistics.execution_count,
            success: statistics.success,
            fail: statistics.fail,
            queue: statistics.queue,
            compute_input: statistics.compute_input,
            compute_infer: statistics.compute_infer,
            compute_output: statistics.compute_output,
            cache_hit: statistics.cache_hit,
            cache_miss: statistics.cache_miss,
            failures: statistics.failures,
            busy: statistics.busy,
            pending,
            running: self.running(),
            batches: BTreeMap::new(),
            responses: BTreeMap::new(),
        }
    }
}

impl Counted {
    /// Returns the statistics with the time of the last execution.
    fn current(&mut self) -> &ModelStatistics {
        if let Some(last) = self.last_execution.take() {
            self.statistics.last_inference = SystemTime::now().checked_sub(last.elapsed());
        }
        &self.statistics
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
        assert_eq!(statistics.inference_count, 2);
        assert_eq!(statistics.execution_count, 1);
        assert_eq!(statistics.success.count, 1);
        assert_eq!(statistics.fail.count, 2);
        assert_eq!(statistics.fail.ns, 41);
        assert_eq!(statistics.failures, [1, 0, 1, 0]);
        assert_eq!(statistics.batches[&3].compute_infer.ns, 10);
        assert_eq!(statistics.pending, 7);
        assert_eq!((statistics.running, statistics.busy), (1, 10));
        let last = statistics.last_inference.unwrap();
        // The clocks are not read at the same moment.
        let least = before - Duration::from_millis(1);
        assert!((least..=SystemTime::now()).contains(&last));
        let sums = ModelStatistics {
            batches: BTreeMap::new(),
            ..statistics
        };
        assert_eq!(recorder.sums(7), sums);
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
        let statistics = recorder.snapshot(0);
        assert_eq!(statistics.success, StatisticDuration { count: 1, ns: 39 });
        assert_eq!(statistics.queue, StatisticDuration { count: 1, ns: 4 });
        assert_eq!(statistics.fail, StatisticDuration::default());
        assert_eq!(statistics.cache_hit, StatisticDuration { count: 1, ns: 3 });
        assert_eq!(
            statistics.cache_miss,
            StatisticDuration { count: 2, ns: 30 }
        );
        assert_eq!(statistics.inference_count, 0);
        assert_eq!(statistics.execution_count, 0);
        assert_eq!(statistics.last_inference, None);
        assert_eq!(statistics.compute_infer.count, 0);
    }
}
