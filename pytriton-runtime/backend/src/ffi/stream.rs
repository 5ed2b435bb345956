use super::api::Api;
use super::clock::now;
use super::factory::Factory;
use super::raw::{RESPONSE_FINAL, RESPONSE_PART, RawInstance};
use super::request::Request;
use super::response::Response;
use super::response_statistics::{Outcome, ResponseStatistics};
use crate::failure::Failure;

/// The responses to a request that can have any number of them.
#[derive(Debug)]
pub(super) struct Stream {
    api: &'static Api,
    factory: Factory,
    statistics: ResponseStatistics,
    /// The start of the next response's computation, once one was sent.
    since: Option<u64>,
    /// When the current response was created.
    computed: u64,
}

impl Stream {
    /// Creates the stream of a request. The instance must be live until the last response is sent.
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

    /// Creates the next response.
    pub(super) fn response(&mut self) -> Result<Response, Failure> {
        self.computed = now();
        Response::from_factory(self.api, &self.factory)
    }

    /// Sends a response, or an error in its place. More may follow. `begun` is the time of the
    /// function call.
    pub(super) fn send_response(
        &mut self,
        response: Response,
        failure: Option<&Failure>,
        begun: u64,
    ) {
        let outcome = match failure {
            None => Outcome::Response(self.computed),
            Some(failure) => Outcome::Failure(failure),
        };
        self.report(outcome, begun);
        // If the response cannot be sent, nothing is waiting for it.
        let _ = response.send(failure, RESPONSE_PART);
    }

    /// Counts a response that was sent through the side channel. `begun` is the time of the
    /// function call.
    pub(super) fn count(&mut self, begun: u64) {
        self.report(Outcome::Response(now()), begun);
    }

    /// Ends the responses, with an error if the request has failed.
    pub(super) fn end(&mut self, failure: Option<&Failure>, begun: u64) {
        let Some(failure) = failure else {
            // Same as above.
            let _ = self.factory.end();
            return;
        };
        self.report(Outcome::Failure(failure), begun);
        let sent = Response::from_factory(self.api, &self.factory)
            .and_then(|response| response.send(Some(failure), RESPONSE_FINAL));
        if sent.is_err() {
            // The client must at least receive the end.
            let _ = self.factory.end();
        }
    }

    /// Reports a response before it is sent, so that a client that receives it finds it in the
    /// statistics.
    fn report(&mut self, outcome: Outcome<'_>, begun: u64) {
        let ended = now();
        let since = self.since.replace(ended).unwrap_or(begun);
        (self.statistics).report(&self.factory, (since, ended), outcome);
    }
}
