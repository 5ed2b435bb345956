use super::api::Api;
use super::clock::now;
use super::factory::Factory;
use super::raw::{RESPONSE_FINAL, RESPONSE_PART, RawInstance};
use super::request::Request;
use super::response::Response;
use super::response_statistics::{Outcome, ResponseStatistics};
use crate::failure::Failure;

/// The answers to a request that may have any number of them.
#[derive(Debug)]
pub(super) struct Stream {
    api: &'static Api,
    factory: Factory,
    statistics: ResponseStatistics,
    /// Since when the next answer is computed, once one was sent.
    since: Option<u64>,
    /// When the answer that was begun was there.
    computed: u64,
}

impl Stream {
    /// Those to a request on an instance, which must be live until the last is sent.
    pub(super) fn new(
        api: &'static Api,
        instance: *mut RawInstance,
        request: Request<'_>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            api,
            factory: Factory::new(api, request)?,
            statistics: ResponseStatistics::new(api, instance),
            since: None,
            computed: 0,
        })
    }

    /// An answer that is to be filled.
    pub(super) fn response(&mut self) -> Result<Response, Failure> {
        self.computed = now();
        Response::from_factory(self.api, &self.factory)
    }

    /// Sends an answer, or an error in its place, behind which others may come; `begun` is when the function was called.
    pub(super) fn part(&mut self, response: Response, failure: Option<&Failure>, begun: u64) {
        let outcome = match failure {
            None => Outcome::Answer(self.computed),
            Some(failure) => Outcome::Failure(failure),
        };
        self.report(outcome, begun);
        // Nobody waits for an answer that cannot be sent.
        let _ = response.send(failure, RESPONSE_PART);
    }

    /// Counts an answer that went another way; `begun` is when the function was called.
    pub(super) fn count(&mut self, begun: u64) {
        self.report(Outcome::Answer(now()), begun);
    }

    /// Says that nothing follows, and why, where the request has failed.
    pub(super) fn end(&mut self, failure: Option<&Failure>, begun: u64) {
        let Some(failure) = failure else {
            // As above.
            let _ = self.factory.end();
            return;
        };
        self.report(Outcome::Failure(failure), begun);
        let sent = Response::from_factory(self.api, &self.factory)
            .and_then(|response| response.send(Some(failure), RESPONSE_FINAL));
        if sent.is_err() {
            // Whoever waits hears at least that nothing more comes.
            let _ = self.factory.end();
        }
    }

    /// Before it is sent, so that whoever has an answer finds it in the statistics.
    fn report(&mut self, outcome: Outcome<'_>, begun: u64) {
        let ended = now();
        let since = self.since.replace(ended).unwrap_or(begun);
        (self.statistics).report(&self.factory, (since, ended), outcome);
    }
}
