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

use crate::server::stop::stopped;
use crate::server::stream::Stream;
use crate::tls::Certificates;

/// The timeout of a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Limits concurrent handshakes to half of the processors, because signing is expensive.
static PERMITS: LazyLock<Semaphore> = LazyLock::new(|| {
    let processors = available_parallelism().map_or(1, usize::from);
    Semaphore::new(processors.div_ceil(2))
});

/// The timeout of a TLS handshake once the server stops.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// Performs a TLS handshake. Returns `None` if it fails.
pub(crate) async fn handshake(
    certificates: &Certificates,
    stream: TcpStream,
    stop: &mut watch::Receiver<Option<Instant>>,
) -> Option<Stream> {
    let port = certificates.port();
    let accepted = async {
        let begun = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
        let config = certificates.config();
        // Signing is expensive. It runs on a blocking thread, so a flood of handshakes does not
        // delay requests.
        let permit = PERMITS.acquire().await.ok();
        let signed = spawn_blocking(move || {
            let _permit = permit;
            begun.into_stream(config)
        });
        signed.await.map_err(io::Error::other)?.await
    };
    let handshake = async {
        match timeout(HANDSHAKE_TIMEOUT, accepted).await {
            Ok(Ok(stream)) => Some(Stream::Tls(Box::new(stream))),
            Ok(Err(error)) => {
                // Expected from port probes, plain-text clients and clients with other root
                // certificates.
                tracing::debug!(port, %error, "TLS handshake with a client failed");
                None
            }
            Err(_) => {
                tracing::debug!(port, "TLS handshake with a client timed out");
                None
            }
        }
    };
    let over = async {
        stopped(stop).await;
        sleep(STOP_TIMEOUT).await;
    };
    tokio::select! {
        biased;
        stream = handshake => stream,
        () = over => None,
    }
}
