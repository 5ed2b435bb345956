use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::timeout;

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
    taken: Vec<(Traffic, AbortHandle)>,
}

impl Places {
    pub(super) fn new(limit: u32) -> Self {
        Self {
            limit,
            free: Arc::new(Semaphore::new(limit as usize)),
            taken: Vec::new(),
        }
    }

    /// A free place, or that of the connection that has been idle for the longest time.
    pub(super) async fn take(&mut self) -> Option<OwnedSemaphorePermit> {
        if let Some(place) = self.free() {
            return Some(place);
        }
        let idle = self.taken.iter().filter_map(|(traffic, connection)| {
            let idle = traffic.idle().filter(|idle| *idle >= IDLE);
            idle.filter(|_| !connection.is_finished())
                .zip(Some(connection))
        });
        let (_, longest) = idle.max_by_key(|(idle, _)| *idle)?;
        longest.abort();
        let place = timeout(HANDOVER, Arc::clone(&self.free).acquire_owned());
        place.await.ok()?.ok()
    }

    /// A free place.
    pub(super) fn free(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.free).try_acquire_owned().ok()
    }

    /// Remembers who has a place.
    pub(super) fn remember(&mut self, traffic: Traffic, connection: AbortHandle) {
        if self.taken.len() >= self.limit as usize {
            self.taken
                .retain(|(_, connection)| !connection.is_finished());
        }
        self.taken.push((traffic, connection));
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
    }
}
