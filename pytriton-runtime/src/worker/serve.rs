use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use pytriton_backend::now;
use pytriton_backend::session::{Asked, Server, SessionError};
use pytriton_backend::wire::BatchReader;

use crate::call::CancellationSink;
use crate::call::ResponseSink;
use crate::gathered::{Call, Calls, Gathered, Results, Streamed, Streaming};
use crate::request::SmallVec;
use crate::runner::{Availability, Runner};
use crate::scheduler::SchedulerError;

use super::answer::answer;
use super::claimed::Claimed;
use super::outlet::SessionOutlet;
use super::sessions::{Parting, Sessions};
use super::streams::Stream;

/// Runs the batches of one session on an instance until the session ends.
pub(super) fn serve(runner: &Runner, sessions: &Arc<Sessions>, server: &Arc<Server>) {
    let serving = sessions.serve(runner.instance_number(), server);
    let mut reader = BatchReader::default();
    let take = || take(runner, server);
    let served = batches(take, |asked| {
        let batch = asked.batch;
        let working = sessions.work.begin();
        let begun = now();
        let taken = gather(sessions, server, &mut reader, asked, working.is_some())?;
        let (gathered, claimed) = match taken {
            Ok(whole) => whole,
            Err(results) => return finish(server, (batch, begun), results),
        };
        let way = way(sessions, server, batch, &gathered, claimed);
        let sink = streaming(sessions, server, batch, &way);
        let sink = sink.map(|streaming| {
            streaming.called(begun);
            streaming as Arc<dyn ResponseSink>
        });
        let (own_sessions, asker) = (Arc::clone(sessions), Arc::clone(server));
        runner.block_on(gathered.run(runner, sink.as_ref(), move |results| {
            let finished = way.finish(&asker, (batch, begun), results);
            end(&asker, &own_sessions, &finished);
            drop(working);
        }));
        Ok(())
    });
    drop(serving);
    let parting = end(server, sessions, &served);
    // The next session does not know the sequences of this one.
    runner.clear();
    sessions.leave(parting);
}

/// Hands the batches of one session to free instances until the session ends.
pub(super) fn read(server: &Arc<Server>, sessions: &Arc<Sessions>, calls: &Calls) {
    let mut reader = BatchReader::default();
    let take = || server.take();
    let served = batches(take, |asked| {
        let batch = asked.batch;
        let working = sessions.work.begin();
        let taken = gather(sessions, server, &mut reader, asked, working.is_some())?;
        let (gathered, claimed) = match taken {
            Ok(whole) => whole,
            Err(results) => return finish(server, (batch, now()), results),
        };
        let own = Arc::clone(server);
        let is_cancelled = is_cancelled(server, batch);
        let way = way(sessions, server, batch, &gathered, claimed);
        let streaming = streaming(sessions, server, batch, &way);
        let owner = Arc::clone(sessions);
        let done = move |results, begun| {
            let finished = way.finish(&own, (batch, begun), results);
            end(&own, &owner, &finished);
            drop(working);
        };
        let gathered = (gathered, streaming);
        calls.send(Call::new(&sessions.spec, gathered, is_cancelled, done));
        match sessions.instances.availability() {
            Availability::Ready => {}
            availability => sessions.calls.refuse(availability),
        }
        Ok(())
    });
    let parting = end(server, sessions, &served);
    sessions.leave(parting);
}

fn batches(
    take: impl Fn() -> Result<Asked, SessionError>,
    mut each: impl FnMut(Asked) -> Result<(), SessionError>,
) -> Result<(), SessionError> {
    loop {
        each(take()?)?;
    }
}

/// Returns the next batch. Drops expired sequence states while it waits.
fn take(runner: &Runner, server: &Server) -> Result<Asked, SessionError> {
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
    asked: Asked,
    serving: bool,
) -> Result<Result<(Gathered, Claimed), Results>, SessionError> {
    let Asked {
        description, data, ..
    } = asked;
    let data = Bytes::from_owner(data);
    let mut gathered = Gathered::read(&sessions.spec, reader, &description, &data)?;
    server.keep_description(description);
    let claimed = Claimed::new(&sessions.spec, &sessions.claims, &mut gathered.requests);
    if serving {
        return Ok(Ok((gathered, claimed)));
    }
    let stopping = SchedulerError::Stopping;
    let results = SmallVec::repeat(Err(stopping), gathered.requests.len());
    claimed.finish(&results);
    Ok(Err(results))
}

/// How the responses of a batch are sent.
enum Way {
    /// Together, when the batch is complete.
    Whole(Claimed),
    /// One by one, for a decoupled model.
    Streamed(Arc<Stream>),
}

impl Way {
    /// Completes a batch whose requests are finished.
    fn finish(
        &self,
        server: &Server,
        (batch, begun): (u64, u64),
        results: Results,
    ) -> Result<(), SessionError> {
        match self {
            Self::Whole(claimed) => {
                claimed.finish(&results);
                finish(server, (batch, begun), results)
            }
            Self::Streamed(streamed) => {
                streamed.end(results.into_iter().map(|result| result.map(drop)));
                server.finish(batch)
            }
        }
    }
}

fn way(
    sessions: &Arc<Sessions>,
    server: &Arc<Server>,
    batch: u64,
    gathered: &Gathered,
    claimed: Claimed,
) -> Way {
    if !sessions.spec.decoupled {
        return Way::Whole(claimed);
    }
    let outlet = SessionOutlet::new(server, sessions, batch, claimed);
    let streamed = Arc::new(Streamed::new(outlet, gathered.requests.len()));
    sessions.streams.enter(&streamed);
    Way::Streamed(streamed)
}

/// Returns the sink for the responses of a batch. For a model that is not decoupled, it only
/// reports cancellation, if the function asks for it.
fn streaming(
    sessions: &Sessions,
    server: &Arc<Server>,
    batch: u64,
    way: &Way,
) -> Option<Arc<dyn Streaming>> {
    match way {
        Way::Streamed(streamed) => Some(Arc::clone(streamed) as _),
        Way::Whole(_) if sessions.spec.cancellable => {
            Some(Arc::new(CancellationSink(is_cancelled(server, batch))))
        }
        Way::Whole(_) => None,
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
    answer(server, batch, &results)?;
    // Values that share the batch's memory must be dropped before it is released.
    drop(results);
    server.finish(batch.0)
}

/// Ends a session that is broken.
pub(super) fn end(
    server: &Server,
    sessions: &Sessions,
    served: &Result<(), SessionError>,
) -> Parting {
    match served {
        Ok(()) | Err(SessionError::Closed) => Parting::Closed,
        Err(error) => {
            let model = &*sessions.spec.name;
            tracing::warn!(model, %error, "a session with tritonserver has ended");
            server.close();
            Parting::Broken
        }
    }
}
