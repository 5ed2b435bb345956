use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::Version;
use tokio::time::{Instant, sleep};

/// No ping and no other frame of the protocol's own is so long: what is longer carries an answer.
const BULK: usize = 256;

/// What is under way on a connection, and since when nothing has moved.
#[derive(Debug, Clone)]
pub(super) struct Traffic(Arc<Mutex<State>>);

/// How long what may be so.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tolerance {
    /// Nothing is under way.
    pub(super) idle: Duration,
    /// The client does not take its answer.
    pub(super) blocked: Duration,
}

/// What has been so for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Neglect {
    Idle,
    Blocked,
}

#[derive(Debug)]
struct State {
    /// Whether a request has ever come.
    used: bool,
    /// Whether the last was one of HTTP/1.1, whose client is told with an answer that there will be no other.
    told_with_answer: bool,
    /// Whether there will be no other.
    last: bool,
    /// Requests whose answers have not been handed over.
    open: usize,
    /// Answers of which the client has to take something before there is more to do.
    offered: usize,
    /// Whether there is no room for what is to be written.
    stuck: bool,
    moved: Instant,
    /// Where the one request of an HTTP/1.1 connection is.
    stage: Option<Stage>,
    /// Whether its client may be gone, and nothing has been sent to find out.
    doubted: bool,
    /// Whether everything has gone, and the client has been told so.
    closed: bool,
}

/// How far a request of HTTP/1.1 is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It may not have come as a whole.
    Coming,
    /// It has, and nothing of its answer has gone.
    Waiting,
    /// Its answer is under way.
    Answered,
}

/// One request on its way from its head to the end of its answer.
#[derive(Debug)]
pub(super) struct Passage {
    traffic: Traffic,
    offered: bool,
}

impl Traffic {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(State {
            used: false,
            told_with_answer: false,
            last: false,
            open: 0,
            offered: 0,
            stuck: false,
            moved: Instant::now(),
            stage: None,
            doubted: false,
            closed: false,
        })))
    }

    /// A request has come.
    pub(super) fn enter(&self, version: Version) -> Passage {
        let mut state = self.state();
        state.told_with_answer = version == Version::HTTP_11;
        state.stage = state.told_with_answer.then_some(Stage::Coming);
        state.doubted = false;
        state.used = true;
        state.open += 1;
        // Where nothing is offered the server computes, however long.
        if state.offered > 0 {
            state.moved = Instant::now();
        }
        Passage {
            traffic: self.clone(),
            offered: false,
        }
    }

    /// The request of the connection has come as a whole.
    pub(super) fn came(&self) {
        let stage = &mut self.state().stage;
        if *stage == Some(Stage::Coming) {
            *stage = Some(Stage::Waiting);
        }
    }

    /// Where the request of the connection is, if it is one of HTTP/1.1.
    pub(super) fn stage(&self) -> Option<Stage> {
        self.state().stage
    }

    /// The client of the request of the connection may be gone.
    pub(super) fn doubt(&self) {
        self.state().doubted = true;
    }

    /// Whether a request has ever come.
    pub(super) fn used(&self) -> bool {
        self.state().used
    }

    /// No answer comes behind the next. Returns whether the client is told so with it.
    pub(super) fn end(&self) -> bool {
        let mut state = self.state();
        state.last = true;
        state.told_with_answer
    }

    /// Everything has gone, and nothing will follow.
    pub(super) fn close(&self) {
        self.state().closed = true;
    }

    /// Whether that is so.
    pub(super) fn closed(&self) -> bool {
        self.state().closed
    }

    /// How long nothing has been under way; `None` where something is.
    pub(super) fn idle(&self) -> Option<Duration> {
        let state = self.state();
        (state.open == 0).then(|| state.moved.elapsed())
    }

    /// So many bytes have gone.
    pub(super) fn wrote(&self, bytes: usize) {
        if bytes > BULK {
            self.state().moved = Instant::now();
        }
    }

    /// There is no room for what is to be written, or there is again.
    pub(super) fn stick(&self, stuck: bool) {
        self.state().stuck = stuck;
    }

    /// Waits until something has been so for longer than is tolerated. A server that computes may take its time.
    pub(super) async fn neglected(&self, tolerance: Tolerance) -> Neglect {
        // What begins meanwhile may be tolerated for less long.
        let pause = tolerance.idle.min(tolerance.blocked);
        loop {
            let (found, still) = {
                let state = self.state();
                let found = match (state.open, state.offered) {
                    // An answer that has been handed over as a whole may have gone in part.
                    (0, _) if state.stuck => Some((Neglect::Blocked, tolerance.blocked)),
                    (0, _) => Some((Neglect::Idle, tolerance.idle)),
                    (_, 0) => None,
                    _ => Some((Neglect::Blocked, tolerance.blocked)),
                };
                (found, state.moved.elapsed())
            };
            match found {
                Some((neglect, limit)) if still >= limit => return neglect,
                Some((_, limit)) => sleep(pause.min(limit - still)).await,
                None => sleep(pause).await,
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Passage {
    /// The answer begins. Returns whether the client is told with it that it is the last.
    pub(super) fn answer(&self) -> bool {
        let mut state = self.traffic.state();
        state.stage = state.stage.map(|_| Stage::Answered);
        state.last && state.told_with_answer
    }

    /// Whether the client may be gone. Says so once: whoever asks sends something, of which there is news.
    pub(super) fn doubted(&self) -> bool {
        mem::take(&mut self.traffic.state().doubted)
    }

    /// The client has something to take, or has taken all there is.
    pub(super) fn offer(&mut self, offered: bool) {
        // Whoever asks again for what is not there yet has taken nothing.
        if self.offered || offered {
            let mut state = self.traffic.state();
            state.offered -= usize::from(self.offered);
            state.offered += usize::from(offered);
            state.moved = Instant::now();
        }
        self.offered = offered;
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        let mut state = self.traffic.state();
        state.offered -= usize::from(self.offered);
        state.open -= 1;
        state.stage = None;
        state.moved = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: Tolerance = Tolerance {
        idle: Duration::from_secs(75),
        blocked: Duration::from_secs(20),
    };

    async fn after(seconds: u64) {
        sleep(Duration::from_secs(seconds)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn tells_idle_connections_from_those_that_compute_and_those_that_are_not_read() {
        let (begun, traffic) = (Instant::now(), Traffic::new());
        let script = async {
            let mut first = traffic.enter(Version::HTTP_2);
            after(1000).await;
            first.offer(true);
            after(10).await;
            first.offer(true);
            after(10).await;
            first.offer(false);
            after(1000).await;
            drop(first);
            after(70).await;
            // A ping is no life, an answer is.
            traffic.wrote(17);
            traffic.wrote(1000);
            std::future::pending::<()>().await;
        };
        let neglect = tokio::select! {
            () = script => None,
            neglect = traffic.neglected(TOLERANCE) => Some(neglect),
        };
        assert_eq!(neglect, Some(Neglect::Idle));
        assert_eq!(begun.elapsed().as_secs(), 2020 + 70 + 75);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_is_not_taken_is_not_awaited() {
        let (begun, traffic) = (Instant::now(), Traffic::new());
        let _computing = traffic.enter(Version::HTTP_2);
        let mut unread = traffic.enter(Version::HTTP_2);
        after(5).await;
        unread.offer(true);
        assert_eq!(traffic.neglected(TOLERANCE).await, Neglect::Blocked);
        assert_eq!(begun.elapsed().as_secs(), 25);
    }
}
