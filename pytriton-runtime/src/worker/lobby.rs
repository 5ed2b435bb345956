use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pytriton_backend::channel::{Closer, Desk};
use tokio::sync::watch;

use crate::model::{DynamicBatching, ModelSpec, QueuePolicy};

/// Somewhat more than the half second after which tritonserver 2.51 looks for a free instance again, where a model has any
/// queue policy.
const POLICY_STALL: Duration = Duration::from_millis(750);

/// Where the guests of one model wait for a free instance.
#[derive(Debug)]
pub(super) struct Lobby {
    pub(super) spec: Arc<ModelSpec>,
    guests: Mutex<Option<Sender<Desk>>>,
    line: Mutex<Receiver<Desk>>,
    served: Mutex<Served>,
    alive: watch::Sender<usize>,
    work: Mutex<Work>,
}

/// The batches that are being executed, and when that last changed.
#[derive(Debug)]
struct Work {
    refused: bool,
    batches: usize,
    changed: Instant,
}

/// The guests that are being served.
#[derive(Debug, Default)]
struct Served {
    closed: bool,
    next: u64,
    closers: Vec<(u64, Closer)>,
}

impl Lobby {
    pub(super) fn new(spec: Arc<ModelSpec>) -> Self {
        let (guests, line) = channel();
        Self {
            spec,
            guests: Mutex::new(Some(guests)),
            line: Mutex::new(line),
            served: Mutex::default(),
            alive: watch::Sender::new(0),
            work: Mutex::new(Work {
                refused: false,
                batches: 0,
                changed: Instant::now(),
            }),
        }
    }

    /// Counts a batch as being executed as long as what is returned lives; `None` when it shall be refused.
    pub(super) fn working(&self) -> Option<Working<'_>> {
        let mut work = lock(&self.work);
        work.changed = Instant::now();
        if work.refused {
            return None;
        }
        work.batches += 1;
        Some(Working(self))
    }

    /// Refuses batches from here on; those that are being executed are answered.
    pub(super) fn refuse(&self) {
        lock(&self.work).refused = true;
    }

    /// Whether for some time after `since` no batch was executed, nor has one waited for company.
    pub(super) fn quiet(&self, since: Instant, time: Duration) -> bool {
        let work = lock(&self.work);
        let batching = self.spec.dynamic_batching.as_ref();
        // Nothing that is refused need have waited.
        let batching = batching.filter(|_| !work.refused);
        let delay = batching.map_or(Duration::ZERO, longest_wait);
        work.batches == 0 && work.changed.max(since).elapsed() > delay.saturating_add(time)
    }

    /// Whether guests may come in.
    pub(super) fn is_open(&self) -> bool {
        lock(&self.guests).is_some()
    }

    /// Lets a guest wait for an instance, and sends it away when the lobby is closed.
    pub(super) fn enter(&self, guest: Desk) {
        if let Some(guests) = lock(&self.guests).as_ref() {
            // The lobby has the other end itself.
            let _ = guests.send(guest);
        }
    }

    /// The next guest; `None` when there will be none.
    pub(super) fn next(&self) -> Option<Desk> {
        lock(&self.line).recv().ok()
    }

    /// Notes that a guest is being served; `None` when it shall not be.
    pub(super) fn serve(&self, closer: Closer) -> Option<u64> {
        let mut served = lock(&self.served);
        if served.closed {
            return None;
        }
        let ticket = served.next;
        served.next += 1;
        served.closers.push((ticket, closer));
        Some(ticket)
    }

    /// Notes that a guest is gone.
    pub(super) fn part(&self, ticket: u64) {
        lock(&self.served)
            .closers
            .retain(|(other, _)| *other != ticket);
    }

    /// Sends waiting guests away, and those that are being served once their batch is answered.
    pub(super) fn close(&self) {
        lock(&self.guests).take();
        let mut served = lock(&self.served);
        served.closed = true;
        for (_, closer) in &served.closers {
            closer.close();
        }
    }

    /// Whether there is an instance.
    pub(super) fn ready(&self) -> bool {
        *self.alive.borrow() > 0
    }

    /// Waits until there is no instance left.
    pub(super) async fn empty(&self) {
        // The sender is this lobby's own: it cannot be gone.
        let _ = self.alive.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Counts an instance as long as what is returned lives.
    pub(super) fn presence(self: &Arc<Self>) -> Presence {
        self.alive.send_modify(|count| *count += 1);
        Presence(Arc::clone(self))
    }
}

/// An instance that is there.
#[derive(Debug)]
pub(super) struct Presence(Arc<Lobby>);

impl Drop for Presence {
    fn drop(&mut self) {
        self.0
            .alive
            .send_modify(|count| *count = count.saturating_sub(1));
    }
}

/// A batch that is being executed.
#[derive(Debug)]
pub(super) struct Working<'a>(&'a Lobby);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let mut work = lock(&self.0.work);
        work.batches = work.batches.saturating_sub(1);
        work.changed = Instant::now();
    }
}

/// How long tritonserver may let a request wait although an instance is free.
fn longest_wait(batching: &DynamicBatching) -> Duration {
    let delay = Duration::from_micros(batching.max_queue_delay_microseconds);
    match batching.priorities.is_some() || batching.queue_policy != QueuePolicy::DEFAULT {
        true => delay.saturating_add(POLICY_STALL),
        false => delay,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Nothing under these locks panics half-way.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelDeclaration;
    use crate::testing::IDENTITY;

    fn lobby(batching: DynamicBatching) -> Lobby {
        let declaration = ModelDeclaration {
            dynamic_batching: Some(batching),
            ..IDENTITY
        };
        Lobby::new(Arc::new(ModelSpec::new(&declaration).unwrap()))
    }

    #[test]
    fn is_quiet_when_no_request_can_wait_any_more() {
        let plain = DynamicBatching {
            preferred_batch_size: &[],
            max_queue_delay_microseconds: 0,
            preserve_ordering: false,
            queue_policy: QueuePolicy::DEFAULT,
            priorities: None,
        };
        let delayed = DynamicBatching {
            max_queue_delay_microseconds: 200_000,
            ..plain
        };
        let bounded = DynamicBatching {
            queue_policy: QueuePolicy {
                max_queue_size: 5,
                ..QueuePolicy::DEFAULT
            },
            ..plain
        };
        let second = Duration::from_secs(1);
        for (batching, milliseconds) in [(plain, 0), (delayed, 200), (bounded, 750)] {
            let mut lobby = lobby(batching);
            let work = lobby.work.get_mut().unwrap();
            work.changed = Instant::now().checked_sub(second).unwrap();
            let since = work.changed;
            let wait = Duration::from_millis(milliseconds);
            let left = second - wait;
            assert!(
                lobby.quiet(since, left - Duration::from_millis(1)),
                "{wait:?}"
            );
            assert!(!lobby.quiet(since, left + second), "{wait:?}");
            lobby.refuse();
            assert!(lobby.quiet(since, Duration::from_millis(999)), "{wait:?}");
        }
    }
}
