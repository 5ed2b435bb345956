use std::io;
use std::sync::LazyLock;
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::LazyConfigAcceptor;
use tokio_rustls::rustls::server::Acceptor;

use crate::tls::Certificates;

use super::connection::stopped;
use super::stream::Stream;

/// How long a client may take to agree on how the connection is encrypted.
const TIME: Duration = Duration::from_secs(10);

/// So many handshakes are signed at a time: half of the processors have something else to do.
static PLACES: LazyLock<Semaphore> = LazyLock::new(|| {
    let processors = available_parallelism().map_or(1, usize::from);
    Semaphore::new(processors.div_ceil(2))
});

/// The same when the server stops.
const LAST_TIME: Duration = Duration::from_secs(1);

/// Agrees with the client on how the connection is encrypted; `None` where that comes to nothing.
pub(super) async fn shake_hands(
    certificates: &Certificates,
    stream: TcpStream,
    stop: &mut watch::Receiver<Option<Instant>>,
) -> Option<Stream> {
    let port = certificates.port();
    let handshake = async {
        let begun = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
        let config = certificates.config();
        // It signs: a flood of these shall take turns away from those who ask, on no thread that answers them.
        let place = PLACES.acquire().await.ok();
        let signed = spawn_blocking(move || {
            let _place = place;
            begun.into_stream(config)
        });
        signed.await.map_err(io::Error::other)?.await
    };
    let handshake = async {
        match timeout(TIME, handshake).await {
            Ok(Ok(stream)) => Some(Stream::Tls(Box::new(stream))),
            Ok(Err(error)) => {
                // Probes that only connect, clients without TLS and those that trust others are everyday life.
                tracing::debug!(port, %error, "no TLS with a client");
                None
            }
            Err(_) => {
                tracing::debug!(port, "a client did not finish its TLS handshake in time");
                None
            }
        }
    };
    let over = async {
        stopped(stop).await;
        sleep(LAST_TIME).await;
    };
    tokio::select! {
        biased;
        stream = handshake => stream,
        () = over => None,
    }
}
