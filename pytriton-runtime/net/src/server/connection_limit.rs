use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::{Instant, timeout};

use crate::server::connection_state::{ConnectionState, Liveness};
use crate::server::timeouts::Timeouts;

/// How long a connection must be idle before a new one may replace it. Clients do not pause this
/// long within a request.
const MIN_IDLE_TIME: Duration = Duration::from_secs(5);

/// How long a replaced connection may take to end.
const REPLACE_TIMEOUT: Duration = Duration::from_millis(100);

/// The number of ended connections that are not worth a search.
const MAX_ENDED: usize = 16;

/// Limits the connections of a port. At the limit, a new connection replaces an idle one.
#[derive(Debug)]
pub(crate) struct ConnectionLimit {
    limit: u32,
    permits: Arc<Semaphore>,
    open: Vec<OpenConnection>,
    /// Connections that had been idle for long enough at the last examination. The one that had
    /// been idle longest is last.
    idle: Vec<OpenConnection>,
    /// No other connection can have been idle for long enough before this time.
    none_before: Instant,
}

#[derive(Debug, Clone)]
struct OpenConnection {
    state: ConnectionState,
    task: AbortHandle,
}

impl OpenConnection {
    /// Returns since when the connection has been idle, if it may be replaced.
    ///
    /// # Errors
    ///
    /// Returns the time for which it certainly may not.
    fn replaceable_since(&self) -> Result<Instant, Duration> {
        if self.task.is_finished() {
            return Err(MIN_IDLE_TIME);
        }
        match self.state.liveness(Timeouts::only_idle(MIN_IDLE_TIME)) {
            Liveness::Overdue { since, .. } => Ok(since),
            Liveness::Live { for_at_least } => Err(for_at_least),
            Liveness::Blocked(_) => Err(MIN_IDLE_TIME),
        }
    }
}

impl ConnectionLimit {
    pub(crate) fn new(limit: u32) -> Self {
        Self {
            limit,
            permits: Arc::new(Semaphore::new(limit as usize)),
            open: Vec::new(),
            idle: Vec::new(),
            none_before: Instant::now(),
        }
    }

    /// Returns a permit for a new connection. At the limit, closes the connection that has been
    /// idle longest, if it was idle for long enough.
    pub(crate) async fn acquire(&mut self) -> Option<OwnedSemaphorePermit> {
        if let Some(permit) = self.try_acquire() {
            return Some(permit);
        }
        self.longest_idle()?.task.abort();
        let permit = timeout(REPLACE_TIMEOUT, Arc::clone(&self.permits).acquire_owned());
        permit.await.ok()?.ok()
    }

    /// Returns the connection that has been idle longest. All connections are examined only if some
    /// may have become idle since the last time. Otherwise, each refused connection would cost more
    /// the more connections are open.
    fn longest_idle(&mut self) -> Option<OpenConnection> {
        if self.idle.is_empty() && Instant::now() >= self.none_before {
            self.examine();
        }
        while let Some(connection) = self.idle.pop() {
            if connection.replaceable_since().is_ok() {
                return Some(connection);
            }
        }
        None
    }

    fn examine(&mut self) {
        let mut idle = Vec::new();
        let mut next = MIN_IDLE_TIME;
        for connection in &self.open {
            match connection.replaceable_since() {
                Ok(since) => idle.push((since, connection)),
                Err(for_at_least) => next = next.min(for_at_least),
            }
        }
        idle.sort_by_key(|(since, _)| Reverse(*since));
        self.none_before = Instant::now() + next;
        self.idle = idle
            .into_iter()
            .map(|(_, connection)| connection.clone())
            .collect();
    }

    /// Returns a permit if one is free.
    pub(crate) fn try_acquire(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_owned().ok()
    }

    /// Adds a connection that has a permit.
    pub(crate) fn add(&mut self, state: ConnectionState, task: AbortHandle) {
        // An entry keeps the memory of its task, even if the connection has ended.
        let open = self.limit as usize - self.permits.available_permits();
        // At least half of the entries have ended, so the amortized cost of adding one is constant.
        if self.open.len() >= 2 * open + MAX_ENDED {
            let is_open = |connection: &OpenConnection| !connection.task.is_finished();
            self.open.retain(is_open);
            self.idle.retain(is_open);
        }
        self.open.push(OpenConnection { state, task });
    }

    /// Waits until every connection has returned its permit.
    pub(crate) async fn all_returned(&self) -> bool {
        self.permits.acquire_many(self.limit).await.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use http::Version;
    use tokio::time::sleep;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_replaces_the_one_that_was_idle_for_the_longest_time() {
        let mut limit = ConnectionLimit::new(3);
        let mut connections = Vec::new();
        for _ in 0..3 {
            sleep(Duration::from_secs(1)).await;
            let (state, permit) = (ConnectionState::new(), limit.acquire().await.unwrap());
            let connection = tokio::spawn(async move {
                let _permit = permit;
                std::future::pending::<()>().await;
            });
            limit.add(state.clone(), connection.abort_handle());
            connections.push((state, connection));
        }
        let busy = connections[0].0.open(Version::HTTP_2);
        assert!(limit.acquire().await.is_none());
        sleep(Duration::from_secs(60)).await;
        let _permit = limit.acquire().await.unwrap();
        let ended: Vec<_> = connections
            .iter()
            .map(|(_, task)| task.is_finished())
            .collect();
        assert_eq!(ended, [false, true, false]);
        let _other = limit.acquire().await.unwrap();
        // Only the busy connection is left.
        assert!(limit.acquire().await.is_none());
        drop(busy);
        sleep(MIN_IDLE_TIME - Duration::from_millis(1)).await;
        assert!(limit.acquire().await.is_none());
        sleep(Duration::from_millis(1)).await;
        assert!(limit.acquire().await.is_some());
    }

    #[tokio::test]
    async fn ended_connections_are_forgotten() {
        for alive in [0, 1, 2, 100] {
            let mut limit = ConnectionLimit::new(1024);
            for number in 0..1000 {
                let permit = limit.acquire().await.unwrap();
                let is_alive = number < alive;
                let task = tokio::spawn(async move {
                    let _permit = permit;
                    if is_alive {
                        std::future::pending::<()>().await;
                    }
                });
                limit.add(ConnectionState::new(), task.abort_handle());
                if !is_alive {
                    task.await.unwrap();
                }
            }
            let (open, kept) = (limit.open.iter(), limit.open.len());
            let open = open.filter(|connection| !connection.task.is_finished());
            assert_eq!(open.count(), alive);
            assert!(kept <= 2 * alive + MAX_ENDED + 2, "{alive} {kept}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_whose_response_is_not_sent_is_not_replaced() {
        let mut limit = ConnectionLimit::new(1);
        let state = ConnectionState::new();
        let permit = limit.acquire().await.unwrap();
        let task = tokio::spawn(async move {
            let _permit = permit;
            std::future::pending::<()>().await;
        });
        limit.add(state.clone(), task.abort_handle());
        let mut stream = state.open(Version::HTTP_11);
        stream.respond();
        let handle = stream.handle().clone();
        stream.hand_over(16 << 20, true, usize::MAX);
        drop(stream);
        for _ in 0..6 {
            sleep(MIN_IDLE_TIME).await;
            assert!(limit.acquire().await.is_none());
            handle.sent(1 << 20);
        }
        handle.sent(10 << 20);
        sleep(MIN_IDLE_TIME - Duration::from_millis(1)).await;
        assert!(limit.acquire().await.is_none());
        sleep(Duration::from_millis(1)).await;
        assert!(limit.acquire().await.is_some());
    }
}
