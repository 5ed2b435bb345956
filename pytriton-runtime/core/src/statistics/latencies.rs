use std::time::Instant;

use super::histogram::{BOUNDS, FIRST_RESPONSE_BOUNDS};
use super::{CacheHit, Durations, Histogram, Success, Summary};

/// The distributions of request durations that are enabled.
#[derive(Debug, Clone)]
pub struct Latencies {
    /// Histograms since the start of the server.
    pub histograms: Option<Histograms>,
    /// Quantiles of the last minute.
    pub summaries: Option<Summaries>,
}

/// Histograms of the durations of successful requests.
#[derive(Debug, Clone)]
pub struct Histograms {
    /// From arrival to response.
    pub request: Histogram,
    /// Time in the queue.
    pub queue: Histogram,
    /// Execution, from gathering the inputs to distributing the outputs.
    pub compute: Histogram,
    /// From arrival to the first response.
    pub first_response: Histogram,
}

/// Quantiles of the durations of successful requests.
#[derive(Debug, Clone)]
pub struct Summaries {
    /// From arrival to response.
    pub request: Summary,
    /// Time in the queue.
    pub queue: Summary,
    /// Gathering the inputs.
    pub compute_input: Summary,
    /// Calling the function.
    pub compute_infer: Summary,
    /// Distributing the outputs.
    pub compute_output: Summary,
    /// The lookup of cached responses.
    pub cache_hit: Summary,
    /// The lookup and insertion of responses that were not cached.
    pub cache_miss: Summary,
}

impl Latencies {
    /// Empty distributions; `None` if neither kind is enabled.
    pub fn new(histograms: bool, summaries: bool) -> Option<Self> {
        let now = Instant::now();
        (histograms || summaries).then(|| Self {
            histograms: histograms.then(Histograms::new),
            summaries: summaries.then(|| Summaries::new(now)),
        })
    }

    /// Adds an executed request. The first response of a streaming request is added when it is
    /// sent.
    pub(super) fn executed(
        &mut self,
        success: &Success,
        durations: &Durations,
        responded_once: bool,
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
            if responded_once {
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

    /// Adds the first response of a streaming request.
    pub(super) fn first_response(&mut self, ns: u64) {
        if let Some(histograms) = &mut self.histograms {
            histograms.first_response.observe(ns);
        }
    }

    /// Adds a request that was served from the response cache.
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

    /// Adds a request that was not in the response cache.
    pub(super) fn miss(&mut self, ns: u64) {
        if let Some(summaries) = &mut self.summaries {
            summaries.cache_miss.observe(ns, Instant::now());
        }
    }

    /// A copy without outdated durations.
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
