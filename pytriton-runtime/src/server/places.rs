use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};

use super::traffic::Traffic;

/// How long a connection must have been idle to be closed for another one: no client pauses so long within a request.
const IDLE: Duration = Duration::from_secs(5);

/// How long its end may take.
const HANDOVER: Duration = Duration::from_millis(100);

/// The places of a port's connections.
#[derive(Debug)]
pub(super) struct Places {
    limit: u32,
    free: Arc<Semaphore>,
    taken: Vec<Taken>,
    /// Those that were idle for long when all were looked at, the longest time last.
    idle: Vec<Taken>,
    /// Until then no other has been idle for so long.
    none_until: Instant,
}

#[derive(Debug, Clone)]
struct Taken {
    traffic: Traffic,
    connection: AbortHandle,
}

impl Taken {
    /// How long it has been idle; `None` where it is not, or is gone.
    fn idle(&self) -> Option<Duration> {
        let idle = self.traffic.idle();
        idle.filter(|_| !self.connection.is_finished())
    }
}

impl Places {
    pub(super) fn new(limit: u32) -> Self {
        Self {
            limit,
            free: Arc::new(Semaphore::new(limit as usize)),
            taken: Vec::new(),
            idle: Vec::new(),
            none_until: Instant::now(),
        }
    }

    /// A free place, or that of a connection that has been idle for long: the longest time, when all were last looked at.
    pub(super) async fn take(&mut self) -> Option<OwnedSemaphorePermit> {
        if let Some(place) = self.free() {
            return Some(place);
        }
        self.longest_idle()?.connection.abort();
        let place = timeout(HANDOVER, Arc::clone(&self.free).acquire_owned());
        place.await.ok()?.ok()
    }

    /// All are looked at only when some may have become idle since: whoever comes in vain shall not cost more where there are
    /// more places.
    fn longest_idle(&mut self) -> Option<Taken> {
        let is_idle = |taken: &Taken| taken.idle().is_some_and(|idle| idle >= IDLE);
        if self.idle.is_empty() && Instant::now() >= self.none_until {
            self.look();
        }
        while let Some(taken) = self.idle.pop() {
            if is_idle(&taken) {
                return Some(taken);
            }
        }
        None
    }

    fn look(&mut self) {
        let mut idle = Vec::new();
        let mut next = Duration::ZERO;
        for taken in &self.taken {
            match taken.idle() {
                Some(time) if time >= IDLE => idle.push((time, taken)),
                time => next = next.max(time.unwrap_or_default()),
            }
        }
        idle.sort_by_key(|(time, _)| *time);
        self.none_until = Instant::now() + IDLE.saturating_sub(next);
        self.idle = idle.into_iter().map(|(_, taken)| taken.clone()).collect();
    }

    /// A free place.
    pub(super) fn free(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.free).try_acquire_owned().ok()
    }

    /// Remembers who has a place.
    pub(super) fn remember(&mut self, traffic: Traffic, connection: AbortHandle) {
        // As many are gone as are there, so that each of them costs no more where there are more.
        if self.taken.len() / 2 >= self.limit as usize {
            self.taken.retain(|taken| !taken.connection.is_finished());
        }
        self.taken.push(Taken {
            traffic,
            connection,
        });
    }

    /// Waits until every connection has given its place back.
    pub(super) async fn all_free(&self) -> bool {
        self.free.acquire_many(self.limit).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Version;
    use tokio::time::sleep;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_connection_that_is_idle_for_the_longest_time_makes_room() {
        let mut places = Places::new(3);
        let mut connections = Vec::new();
        for _ in 0..3 {
            sleep(Duration::from_secs(1)).await;
            let (traffic, place) = (Traffic::new(), places.take().await.unwrap());
            let connection = tokio::spawn(async move {
                let _place = place;
                std::future::pending::<()>().await;
            });
            places.remember(traffic.clone(), connection.abort_handle());
            connections.push((traffic, connection));
        }
        let busy = connections[0].0.enter(Version::HTTP_2);
        assert!(places.take().await.is_none());
        sleep(Duration::from_secs(60)).await;
        let _place = places.take().await.unwrap();
        let ended: Vec<_> = connections
            .iter()
            .map(|(_, task)| task.is_finished())
            .collect();
        assert_eq!(ended, [false, true, false]);
        let _other = places.take().await.unwrap();
        // Only the one at work is left.
        assert!(places.take().await.is_none());
        drop(busy);
        sleep(IDLE - Duration::from_millis(1)).await;
        assert!(places.take().await.is_none());
        sleep(Duration::from_millis(1)).await;
        assert!(places.take().await.is_some());
    }
}
