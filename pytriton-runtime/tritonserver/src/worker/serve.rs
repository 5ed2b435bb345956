use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use pytriton_backend::now;
use pytriton_backend::protocol::BatchReader;
use pytriton_backend::session::{ReceivedBatch, Server, SessionError};
use pytriton_core::call::ResponseSink;
use pytriton_core::instance::{Availability, Runner};
use pytriton_core::request::SmallVec;
use pytriton_core::response_channel::{ResponseSender, SchedulerError, StreamedBatch};

use crate::backend_batch::{
    BackendBatch, BatchSender, CancellationSink, CancellationTimer, QueuedBatch, Results,
};

use super::respond::respond;
use super::session_end::SessionEnd;
use super::session_sink::SessionSink;
use super::sessions::Sessions;
use super::streams::Stream;

/// Runs the batches of one session on an instance until the session ends.
pub(super) fn serve(runner: &Runner, sessions: &Arc<Sessions>, server: &Arc<Server>) {
    let serving = sessions.serve(runner.instance_number(), server);
    let mut reader = BatchReader::default();
    let take = || take(runner, server);
    let served = for_each_batch(take, |asked| {
        let batch = asked.batch;
        let working = sessions.work.begin();
        let begun = now();
        let taken = gather(sessions, server, &mut reader, asked, working.is_some())?;
        let (gathered, claimed) = match taken {
            Ok(gathered) => gathered,
            Err(results) => return finish(server, (batch, begun), results),
        };
        let mode = response_mode(sessions, server, batch, &gathered, claimed);
        let sink = response_sink(sessions, server, batch, &mode);
        if let Some(sink) = &sink {
            sink.called(begun);
        }
        let (own_sessions, own_server) = (Arc::clone(sessions), Arc::clone(server));
        runner.block_on(gathered.run(runner, sink.as_ref(), move |results| {
            let finished = mode.finish(&own_server, (batch, begun), results);
            SessionEnd::of(&own_server, &own_sessions.spec, &finished);
            drop(working);
        }));
        Ok(())
    });
    drop(serving);
    let session_end = SessionEnd::of(server, &sessions.spec, &served);
    // The next session does not know the sequences of this one.
    runner.clear();
    sessions.leave(session_end);
}

/// Hands the batches of one session to free instances until the session ends.
pub(super) fn read(server: &Arc<Server>, sessions: &Arc<Sessions>, batches: &BatchSender) {
    let mut reader = BatchReader::default();
    let take = || server.take();
    let served = for_each_batch(take, |asked| {
        let batch = asked.batch;
        let working = sessions.work.begin();
        let taken = gather(sessions, server, &mut reader, asked, working.is_some())?;
        let (gathered, claimed) = match taken {
            Ok(gathered) => gathered,
            Err(results) => return finish(server, (batch, now()), results),
        };
        let own_server = Arc::clone(server);
        let is_cancelled = is_cancelled(server, batch);
        let mode = response_mode(sessions, server, batch, &gathered, claimed);
        let sink = response_sink(sessions, server, batch, &mode);
        let own_sessions = Arc::clone(sessions);
        let done = move |results, begun| {
            let finished = mode.finish(&own_server, (batch, begun), results);
            SessionEnd::of(&own_server, &own_sessions.spec, &finished);
            drop(working);
        };
        let gathered = (gathered, sink);
        batches.send(QueuedBatch::new(
            &sessions.spec,
            gathered,
            is_cancelled,
            done,
        ));
        match sessions.instances.availability() {
            Availability::Ready => {}
            availability => sessions.batches.refuse(availability),
        }
        Ok(())
    });
    let session_end = SessionEnd::of(server, &sessions.spec, &served);
    sessions.leave(session_end);
}

fn for_each_batch(
    take: impl Fn() -> Result<ReceivedBatch, SessionError>,
    mut each: impl FnMut(ReceivedBatch) -> Result<(), SessionError>,
) -> Result<(), SessionError> {
    loop {
        each(take()?)?;
    }
}

/// Returns the next batch. Drops expired sequence states while it waits.
fn take(runner: &Runner, server: &Server) -> Result<ReceivedBatch, SessionError> {
    let Some(sequences) = runner.sequences() else {
        return server.take();
    };
    loop {
        let asked = match runner.drop_expired_states(sequences) {
            None => Some(server.take()?),
            Some(due) => server.take_until(due)?,
        };
        if let Some(asked) = asked {
            sequences.note_batch(Instant::now());
            return Ok(asked);
        }
    }
}

/// Returns the requests of a batch, or their results if they cannot be run.
fn gather(
    sessions: &Sessions,
    server: &Server,
    reader: &mut BatchReader,
    asked: ReceivedBatch,
    serving: bool,
) -> Result<Result<(BackendBatch, Claimed), Results>, SessionError> {
    let ReceivedBatch {
        description, data, ..
    } = asked;
    let data = Bytes::from_owner(data);
    let mut gathered = BackendBatch::read(&sessions.spec, reader, &description, &data)?;
    server.keep_description(description);
    let claimed = match sessions.spec.openai {
        None => Claimed::new(),
        Some(_) => {
            let requests = gathered.requests.iter_mut();
            let side_channel = &sessions.side_channel;
            requests
                .map(|request| side_channel.redeem(request))
                .collect()
        }
    };
    if serving {
        return Ok(Ok((gathered, claimed)));
    }
    let stopping = SchedulerError::Stopping;
    let results = SmallVec::repeat(Err(stopping), gathered.requests.len());
    finish_claimed(claimed, &results);
    Ok(Err(results))
}

/// For each request of a batch, the sender if this process receives its responses. Empty for a
/// model without OpenAI routes, which alone use the side channel.
type Claimed = Vec<Option<ResponseSender>>;

/// Sends each request that this process receives its only response.
fn finish_claimed(claimed: Claimed, results: &Results) {
    for (sender, result) in claimed.into_iter().zip(results.iter()) {
        if let Some(sender) = sender {
            sender.finish(result.clone());
        }
    }
}

/// How the responses of a batch are sent.
enum ResponseMode {
    /// Together, when the batch is complete.
    Unary(Claimed),
    /// One by one, for a decoupled model.
    Streamed(Arc<Stream>),
}

impl ResponseMode {
    /// Completes a batch whose requests are finished.
    fn finish(
        self,
        server: &Server,
        (batch, begun): (u64, u64),
        results: Results,
    ) -> Result<(), SessionError> {
        match self {
            Self::Unary(claimed) => {
                finish_claimed(claimed, &results);
                finish(server, (batch, begun), results)
            }
            Self::Streamed(streamed) => {
                streamed.end(results.into_iter().map(|result| result.map(drop)));
                server.finish(batch)
            }
        }
    }
}

fn response_mode(
    sessions: &Arc<Sessions>,
    server: &Arc<Server>,
    batch: u64,
    gathered: &BackendBatch,
    claimed: Claimed,
) -> ResponseMode {
    if !sessions.spec.decoupled {
        return ResponseMode::Unary(claimed);
    }
    let mut claimed = claimed.into_iter();
    let sinks = (0..gathered.requests.len()).map(|request| SessionSink {
        server: Arc::clone(server),
        spec: Arc::clone(&sessions.spec),
        batch: (batch, 0),
        request,
        claimed: claimed.next().flatten(),
        timer: CancellationTimer::default(),
    });
    let streamed = Arc::new(StreamedBatch::new(sinks));
    sessions.streams.enter(&streamed);
    ResponseMode::Streamed(streamed)
}

/// Returns the sink for the responses of a batch. For a model that is not decoupled, it only
/// reports cancellation, if the function takes `&Cancellation`.
fn response_sink(
    sessions: &Sessions,
    server: &Arc<Server>,
    batch: u64,
    mode: &ResponseMode,
) -> Option<Arc<dyn ResponseSink>> {
    match mode {
        ResponseMode::Streamed(streamed) => Some(Arc::clone(streamed) as _),
        ResponseMode::Unary(_) if sessions.spec.cancellable => {
            let is_cancelled = is_cancelled(server, batch);
            Some(Arc::new(CancellationSink::new(
                &sessions.runtime,
                is_cancelled,
            )))
        }
        ResponseMode::Unary(_) => None,
    }
}

/// Returns a function that reports whether a request of a batch was cancelled.
fn is_cancelled(server: &Arc<Server>, batch: u64) -> impl Fn(usize) -> bool + Send + Sync + use<> {
    let server = Arc::clone(server);
    move |request| {
        let request = u32::try_from(request);
        request.is_ok_and(|request| server.is_cancelled(batch, request))
    }
}

/// Sends the results of a batch and releases it.
fn finish(server: &Server, batch: (u64, u64), results: Results) -> Result<(), SessionError> {
    respond(server, batch, &results)?;
    // Values that share the batch's memory must be dropped before it is released.
    drop(results);
    server.finish(batch.0)
}
