use std::mem::take;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::runtime::{Builder, Handle};
use tokio::time::{sleep, timeout};

use crate::ClientError;

use super::reservation::Reservation;
use super::{Region, RegionServer};

/// The smallest region.
const MIN_REGION_BYTES: usize = 1 << 20;

/// How long to wait for servers to unregister regions.
const UNREGISTER_TIMEOUT: Duration = Duration::from_secs(1);

/// The delay before another attempt after a refusal.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The regions of a client, with a limit on their total size.
#[derive(Debug)]
pub(crate) struct Pool {
    limit: usize,
    /// The total size of all existing regions.
    bytes: Arc<AtomicUsize>,
    regions: Mutex<Regions>,
}

/// The regions that no request uses.
#[derive(Debug, Default)]
struct Regions {
    idle: Vec<Arc<Region>>,
    /// Regions that servers may still be writing to.
    possibly_in_use: Vec<Arc<Region>>,
}

impl Pool {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            bytes: Arc::default(),
            regions: Mutex::default(),
        }
    }

    /// Returns an empty pool for another client.
    pub(crate) fn with_new_connections(&self) -> Self {
        Self::new(self.limit)
    }

    /// Returns a region of at least `bytes`, or `None` if there is no space.
    pub(super) async fn take(&self, bytes: usize) -> Result<Option<Arc<Region>>, ClientError> {
        let capacity = bytes.checked_next_power_of_two().unwrap_or(usize::MAX);
        let capacity = capacity.max(MIN_REGION_BYTES).min(self.limit);
        if bytes > capacity {
            return Ok(None);
        }
        if let Some(region) = self.regions().smallest_fitting(bytes) {
            return Ok(Some(region));
        }
        let reserve = || Reservation::new(&self.bytes, capacity, self.limit);
        let mut reservation = reserve();
        if reservation.is_none() {
            self.make_space().await;
            reservation = reserve();
        }
        let Some(reservation) = reservation else {
            return Ok(None);
        };
        let made = Region::new(reservation);
        let made = made.map_err(|error| ClientError::SharedMemory {
            message: format!("cannot create a region of {capacity} bytes: {error}"),
        });
        made.map(|region| Some(Arc::new(region)))
    }

    /// Returns a region to the pool. Unless the request is known to have ended, a server may still
    /// use it.
    pub(super) fn release(&self, region: Arc<Region>, ended: bool) {
        let mut regions = self.regions();
        match ended {
            true => regions.idle.push(region),
            false => regions.possibly_in_use.push(region),
        }
    }

    /// Releases unused regions.
    async fn make_space(&self) {
        let unused = {
            let mut regions = self.regions();
            // If this is cancelled, the regions stay in the pool and are tried again.
            let idle = take(&mut regions.idle);
            regions.possibly_in_use.extend(idle);
            regions.possibly_in_use.clone()
        };
        let results = unused.iter().map(|region| async {
            // A server that does not respond in time may still be using the region.
            let result = timeout(UNREGISTER_TIMEOUT, unregister(region, Arc::clone)).await;
            if result == Ok(false) {
                let mut regions = self.regions();
                regions
                    .possibly_in_use
                    .retain(|other| !Arc::ptr_eq(other, region));
            }
        });
        join_all(results).await;
    }

    fn regions(&self) -> MutexGuard<'_, Regions> {
        self.regions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Regions {
    /// Returns the smallest idle region of at least `bytes`.
    fn smallest_fitting(&mut self, bytes: usize) -> Option<Arc<Region>> {
        let idle = self.idle.iter().enumerate();
        let (index, _) = idle
            .filter(|(_, region)| region.capacity() >= bytes)
            .min_by_key(|(_, region)| region.capacity())?;
        Some(self.idle.swap_remove(index))
    }
}

/// Unregisters a region at all its servers. Returns whether one of them may still be using it.
async fn unregister(
    region: &Region,
    by: impl Fn(&Arc<dyn RegionServer>) -> Arc<dyn RegionServer>,
) -> bool {
    let servers = region.servers();
    let results = servers.iter().map(|server| async {
        let result = by(server).unregister(region.name()).await;
        let used = !matches!(result, Ok(()) | Err(ClientError::Connect { .. }));
        if !used {
            region.forget(server);
        }
        used
    });
    join_all(results).await.into_iter().any(|used| used)
}

/// Unregisters all regions. Their files are removed when the regions are dropped, whatever the
/// result.
async fn unregister_all(
    regions: Vec<Arc<Region>>,
    by: impl Fn(&Arc<dyn RegionServer>) -> Arc<dyn RegionServer> + Copy,
) {
    let results = regions.iter().map(async |region| {
        // A server refuses while a request to which it has already responded still uses the region.
        while unregister(region, by).await {
            sleep(RETRY_INTERVAL).await;
        }
    });
    // Servers that do not respond in time are not notified.
    let _ = timeout(UNREGISTER_TIMEOUT, join_all(results)).await;
}

impl Drop for Pool {
    fn drop(&mut self) {
        let Regions {
            mut idle,
            possibly_in_use,
        } = take(&mut *self.regions());
        idle.extend(possibly_in_use);
        idle.retain(|region| !region.servers().is_empty());
        if idle.is_empty() {
            return;
        }
        // The runtime of the existing connections may have ended, or may end before the servers
        // respond.
        let reconnected = |server: &Arc<dyn RegionServer>| server.reconnected();
        let unregister_idle = move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            // Without a thread or runtime the servers are not notified.
            let _ = runtime.map(|runtime| runtime.block_on(unregister_all(idle, reconnected)));
        };
        match Handle::try_current() {
            // Only the runtime's shutdown waits for it.
            Ok(runtime) => drop(runtime.spawn_blocking(unregister_idle)),
            Err(_) => drop(thread::spawn(unregister_idle).join()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::net::TcpListener;
    use std::sync::mpsc;

    use super::*;
    use crate::Tls;
    use crate::server::Server;
    use crate::transport::Link;

    #[tokio::test]
    async fn idle_regions_are_reused() {
        let pool = Pool::new(3 * MIN_REGION_BYTES);
        let name = |region: &Arc<Region>| region.name().to_owned();
        let first = pool.take(5).await.unwrap().unwrap();
        let second = pool.take(MIN_REGION_BYTES + 1).await.unwrap().unwrap();
        assert_eq!(second.capacity(), 2 * MIN_REGION_BYTES);
        assert!(
            pool.take(1).await.unwrap().is_none(),
            "the pool has no space"
        );
        let (one, two) = (name(&first), name(&second));
        pool.release(first, true);
        pool.release(second, true);
        assert_eq!(name(&pool.take(1).await.unwrap().unwrap()), one);
        let again = pool.take(MIN_REGION_BYTES + 1).await.unwrap().unwrap();
        assert_eq!(name(&again), two);
        // A region that may still be written to is not reused. Unregistered regions free their
        // memory.
        pool.release(again, false);
        let other = pool.take(MIN_REGION_BYTES + 1).await.unwrap().unwrap();
        assert_ne!(name(&other), two);
        assert!(pool.take(3 * MIN_REGION_BYTES + 1).await.unwrap().is_none());
    }

    /// Returns a server that responds to the first request on each connection, or to none, and
    /// reports their first lines.
    fn server(answers: bool) -> (Arc<Server>, mpsc::Receiver<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let link = Link {
            tls: Tls::new(),
            access_token: None,
            connect_timeout: Duration::from_secs(5),
            gzip: false,
        };
        let (asked, all) = mpsc::channel();
        thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut line = String::new();
                BufReader::new(&stream).read_line(&mut line).unwrap();
                // The request line is sent before the response.
                if asked.send(line).is_err() {
                    break;
                }
                if answers {
                    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                    stream.write_all(answer).unwrap();
                }
                open.push(stream);
            }
        });
        let server = Server::new(&url.parse().unwrap(), &link).unwrap();
        (Arc::new(server), all)
    }

    #[tokio::test]
    async fn regions_in_use_are_not_released() {
        let (silent, asked) = server(false);
        let pool = Pool::new(2 * MIN_REGION_BYTES);
        let region = pool.take(1).await.unwrap().unwrap();
        region.note(Arc::clone(&silent) as _);
        pool.release(region, true);
        // The call is cancelled, and then the server.
        let cut = timeout(UNREGISTER_TIMEOUT / 10, pool.take(2 * MIN_REGION_BYTES)).await;
        assert!(cut.is_err());
        assert!(pool.take(2 * MIN_REGION_BYTES).await.unwrap().is_none());
        assert_eq!(pool.regions().possibly_in_use.len(), 1);
        let line = asked.recv().unwrap();
        assert!(line.contains("/unregister"), "{line}");
        pool.regions().possibly_in_use[0].forget(&silent);
        assert!(pool.take(2 * MIN_REGION_BYTES).await.unwrap().is_some());
    }

    #[test]
    fn regions_are_unregistered_before_shutdown() {
        let (results, asked) = server(true);
        let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let pool = Pool::new(MIN_REGION_BYTES);
            let region = pool.take(1).await.unwrap().unwrap();
            region.note(Arc::clone(&results) as _);
            pool.release(region, true);
        });
        drop(runtime);
        assert!(asked.try_recv().unwrap().contains("/unregister"));
    }
}
