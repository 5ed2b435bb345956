use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::SendRequest;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The client side of a connection to tritonserver.
pub(super) type Sender = SendRequest<Full<Bytes>>;

/// Connections to a tritonserver that accepts no others, each for one request at a time.
#[derive(Debug, Clone)]
pub(super) struct Standby {
    free: Arc<Mutex<mpsc::Receiver<Sender>>>,
    returned: mpsc::Sender<Sender>,
}

/// A connection of a [`Standby`]. It is returned when this is dropped and its response has been
/// read.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) sender: Option<Sender>,
    home: mpsc::Sender<Sender>,
}

impl Standby {
    /// Keeps these connections. Their tasks drive them.
    pub(super) fn new(connections: Vec<Sender>) -> Self {
        let (returned, free) = mpsc::channel(connections.len().max(1));
        for sender in connections {
            // The channel has space for each.
            let _ = returned.try_send(sender);
        }
        Self {
            free: Arc::new(Mutex::new(free)),
            returned,
        }
    }

    /// Returns a free connection, or `None` if none becomes free in time.
    pub(super) async fn take(&self, patience: Duration) -> Option<Lease> {
        let free = async { self.free.lock().await.recv().await };
        let sender = timeout(patience, free).await.ok().flatten()?;
        Some(Lease {
            sender: Some(sender),
            home: self.returned.clone(),
        })
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(mut sender) = self.sender.take() else {
            return;
        };
        let home = self.home.clone();
        // Without a runtime, no more requests are sent.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                if sender.ready().await.is_ok() {
                    let _ = home.try_send(sender);
                }
            });
        }
    }
}

/// Opens `count` connections concurrently. Returns those that succeed within `limit`, with their
/// local addresses.
pub(super) async fn connections<F>(
    count: usize,
    limit: Duration,
    connect: impl Fn() -> F,
) -> Vec<(Sender, SocketAddr)>
where
    F: Future<Output = Option<(Sender, SocketAddr)>> + Send + 'static,
{
    let mut connecting = JoinSet::new();
    for _ in 0..count {
        connecting.spawn(connect());
    }
    let mut made = Vec::with_capacity(count);
    let all = async {
        while let Some(joined) = connecting.join_next().await {
            made.extend(joined.ok().flatten());
        }
    };
    // Slower connections are not used.
    let _ = timeout(limit, all).await;
    made
}
