use std::time::Instant;

use super::histogram::{BOUNDS, FIRST_RESPONSE_BOUNDS};
use super::{CacheHit, Durations, Histogram, Success, Summary};

/// How the durations of requests are distributed, where somebody wants to know.
#[derive(Debug, Clone)]
pub struct Latencies {
    /// In buckets since the server started.
    pub histograms: Option<Histograms>,
    /// As quantiles of the last minute.
    pub summaries: Option<Summaries>,
}

/// Durations of requests that succeeded, in buckets.
#[derive(Debug, Clone)]
pub struct Histograms {
    /// From their arrival to their response.
    pub request: Histogram,
    /// While they waited.
    pub queue: Histogram,
    /// While they were executed, from gathering their inputs to giving back their outputs.
    pub compute: Histogram,
    /// From their arrival to their first response.
    pub first_response: Histogram,
}

/// Quantiles of the durations of requests that succeeded.
#[derive(Debug, Clone)]
pub struct Summaries {
    /// From their arrival to their response.
    pub request: Summary,
    /// While they waited.
    pub queue: Summary,
    /// While their inputs were gathered.
    pub compute_input: Summary,
    /// While the function ran.
    pub compute_infer: Summary,
    /// While their outputs were given back.
    pub compute_output: Summary,
    /// While the response cache was looked through that had their response.
    pub cache_hit: Summary,
    /// While the response cache was looked through and filled.
    pub cache_miss: Summary,
}

impl Latencies {
    /// Nothing yet, of either kind or both.
    pub fn new(histograms: bool, summaries: bool) -> Option<Self> {
        let now = Instant::now();
        (histograms || summaries).then(|| Self {
            histograms: histograms.then(Histograms::new),
            summaries: summaries.then(|| Summaries::new(now)),
        })
    }

    /// A request that was executed; the first response of one that is answered often is counted when it leaves.
    pub(super) fn executed(
        &mut self,
        success: &Success,
        durations: &Durations,
        answered_once: bool,
    ) {
        if let Some(histograms) = &mut self.histograms {
            let Durations {
                compute_input,
                compute_infer,
                compute_output,
            } = durations;
            histograms.request.observe(success.request);
            histograms.queue.observe(success.queue);
            histograms
                .compute
                .observe(compute_input + compute_infer + compute_output);
            if answered_once {
                histograms.first_response.observe(success.request);
            }
        }
        if let Some(summaries) = &mut self.summaries {
            let now = Instant::now();
            summaries.request.observe(success.request, now);
            summaries.queue.observe(success.queue, now);
            summaries
                .compute_input
                .observe(durations.compute_input, now);
            summaries
                .compute_infer
                .observe(durations.compute_infer, now);
            summaries
                .compute_output
                .observe(durations.compute_output, now);
        }
    }

    /// The first response of a request that may have others.
    pub(super) fn first_response(&mut self, ns: u64) {
        if let Some(histograms) = &mut self.histograms {
            histograms.first_response.observe(ns);
        }
    }

    /// A request that was answered from the response cache.
    pub(super) fn hit(&mut self, hit: &CacheHit) {
        if let Some(histograms) = &mut self.histograms {
            histograms.request.observe(hit.request);
            histograms.queue.observe(hit.queue);
            histograms.first_response.observe(hit.request);
        }
        if let Some(summaries) = &mut self.summaries {
            let now = Instant::now();
            summaries.request.observe(hit.request, now);
            summaries.queue.observe(hit.queue, now);
            summaries.cache_hit.observe(hit.lookup, now);
        }
    }

    /// A request that the response cache had no response to.
    pub(super) fn miss(&mut self, ns: u64) {
        if let Some(summaries) = &mut self.summaries {
            summaries.cache_miss.observe(ns, Instant::now());
        }
    }

    /// The same without what is too old.
    pub(super) fn at(&self, now: Instant) -> Self {
        let mut latencies = self.clone();
        if let Some(summaries) = &mut latencies.summaries {
            summaries.turn(now);
        }
        latencies
    }
}

impl Histograms {
    fn new() -> Self {
        let empty = || Histogram::new(&BOUNDS);
        Self {
            request: empty(),
            queue: empty(),
            compute: empty(),
            first_response: Histogram::new(&FIRST_RESPONSE_BOUNDS),
        }
    }
}

impl Summaries {
    fn new(now: Instant) -> Self {
        let empty = || Summary::new(now);
        Self {
            request: empty(),
            queue: empty(),
            compute_input: empty(),
            compute_infer: empty(),
            compute_output: empty(),
            cache_hit: empty(),
            cache_miss: empty(),
        }
    }

    fn turn(&mut self, now: Instant) {
        let Self {
            request,
            queue,
            compute_input,
            compute_infer,
            compute_output,
            cache_hit,
            cache_miss,
        } = self;
        let all = [
            request,
            queue,
            compute_input,
            compute_infer,
            compute_output,
            cache_hit,
            cache_miss,
        ];
        all.into_iter().for_each(|summary| summary.turn(now));
    }
}
