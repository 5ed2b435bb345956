use std::mem::take;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::runtime::{Builder, Handle};
use tokio::time::timeout;

use crate::ClientError;
use crate::server::Server;

use super::Region;

/// The smallest region.
const SMALLEST: usize = 1 << 20;

/// How long the servers are told for at the end.
const FAREWELL: Duration = Duration::from_secs(1);

/// The regions of a client, of at most so many bytes.
#[derive(Debug)]
pub(crate) struct Pool {
    limit: usize,
    /// Bytes of all regions there are.
    bytes: Arc<AtomicUsize>,
    regions: Mutex<Regions>,
}

/// Those that are lent to nobody.
#[derive(Debug, Default)]
struct Regions {
    idle: Vec<Arc<Region>>,
    /// Servers may still write to these.
    doubtful: Vec<Arc<Region>>,
}

impl Pool {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            bytes: Arc::default(),
            regions: Mutex::default(),
        }
    }

    /// The same for another client.
    pub(crate) fn anew(&self) -> Self {
        Self::new(self.limit)
    }

    /// A region for so many bytes; `None` where there is no room for it.
    pub(super) async fn take(&self, bytes: usize) -> Result<Option<Arc<Region>>, ClientError> {
        let capacity = bytes.checked_next_power_of_two().unwrap_or(usize::MAX);
        let capacity = capacity.max(SMALLEST).min(self.limit);
        if bytes > capacity {
            return Ok(None);
        }
        if let Some(region) = self.regions().fitting(bytes) {
            return Ok(Some(region));
        }
        if !self.has_room(capacity) {
            self.make_room().await;
            if !self.has_room(capacity) {
                return Ok(None);
            }
        }
        let made = Region::new(capacity, &self.bytes);
        let made = made.map_err(|error| ClientError::SharedMemory {
            message: format!("none can be made of {capacity} bytes: {error}"),
        });
        made.map(|region| Some(Arc::new(region)))
    }

    /// Takes back a region, which a server may still use unless the request is known to have ended.
    pub(super) fn give(&self, region: Arc<Region>, ended: bool) {
        let mut regions = self.regions();
        match ended {
            true => regions.idle.push(region),
            false => regions.doubtful.push(region),
        }
    }

    fn has_room(&self, capacity: usize) -> bool {
        let taken = self.bytes.load(Ordering::Relaxed);
        taken.saturating_add(capacity) <= self.limit
    }

    /// Gives up what nobody uses.
    async fn make_room(&self) {
        let idle = take(&mut self.regions().idle);
        for region in idle {
            unregister(&region, Arc::clone).await;
        }
        let doubtful = self.regions().doubtful.clone();
        for region in doubtful {
            if !unregister(&region, Arc::clone).await {
                let mut regions = self.regions();
                regions
                    .doubtful
                    .retain(|other| !Arc::ptr_eq(other, &region));
            }
        }
    }

    fn regions(&self) -> MutexGuard<'_, Regions> {
        self.regions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Regions {
    /// The smallest of the idle ones that has so many bytes.
    fn fitting(&mut self, bytes: usize) -> Option<Arc<Region>> {
        let idle = self.idle.iter().enumerate();
        let (index, _) = idle
            .filter(|(_, region)| region.capacity() >= bytes)
            .min_by_key(|(_, region)| region.capacity())?;
        Some(self.idle.swap_remove(index))
    }
}

/// Tells all servers that know of a region to forget it; whether one of them still uses it.
async fn unregister(region: &Region, by: impl Fn(&Arc<Server>) -> Arc<Server>) -> bool {
    let servers = region.servers();
    let told = servers.iter().map(|server| async {
        let told = by(server).unregister(region.name()).await;
        let used = matches!(told, Err(ClientError::Server { .. }));
        if !used {
            region.forget(server);
        }
        used
    });
    join_all(told).await.into_iter().any(|used| used)
}

/// Tells the servers of all regions. The memory itself has no name any more when the regions are dropped, whatever comes of this.
async fn farewell(regions: Vec<Arc<Region>>, by: impl Fn(&Arc<Server>) -> Arc<Server> + Copy) {
    let told = regions.iter().map(|region| unregister(region, by));
    // Who does not answer in time is told nothing more.
    let _ = timeout(FAREWELL, join_all(told)).await;
}

impl Drop for Pool {
    fn drop(&mut self) {
        let Regions { mut idle, doubtful } = take(&mut *self.regions());
        idle.extend(doubtful);
        idle.retain(|region| !region.servers().is_empty());
        if idle.is_empty() {
            return;
        }
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(farewell(idle, Arc::clone));
            return;
        }
        // The runtime whose connections there are may have ended.
        let anew = |server: &Arc<Server>| Arc::new(server.anew());
        let told = thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            runtime.map(|runtime| runtime.block_on(farewell(idle, anew)))
        });
        // Without a thread or a runtime the servers are told nothing.
        let _ = told.join();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn regions_are_used_again_when_they_are_free() {
        let pool = Pool::new(3 * SMALLEST);
        let name = |region: &Arc<Region>| region.name().to_owned();
        let first = pool.take(5).await.unwrap().unwrap();
        let second = pool.take(SMALLEST + 1).await.unwrap().unwrap();
        assert_eq!(second.capacity(), 2 * SMALLEST);
        assert!(pool.take(1).await.unwrap().is_none(), "there is no room");
        let (one, two) = (name(&first), name(&second));
        pool.give(first, true);
        pool.give(second, true);
        assert_eq!(name(&pool.take(1).await.unwrap().unwrap()), one);
        let again = pool.take(SMALLEST + 1).await.unwrap().unwrap();
        assert_eq!(name(&again), two);
        // One that may still be written to is not; what nobody knows of makes room.
        pool.give(again, false);
        let other = pool.take(SMALLEST + 1).await.unwrap().unwrap();
        assert_ne!(name(&other), two);
        assert!(pool.take(3 * SMALLEST + 1).await.unwrap().is_none());
    }
}
