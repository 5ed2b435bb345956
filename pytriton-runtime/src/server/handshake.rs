use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::tls::Certificates;

use super::connection::stopped;
use super::stream::Stream;

/// How long a client may take to agree on how the connection is encrypted.
const TIME: Duration = Duration::from_secs(10);

/// The same when the server stops.
const LAST_TIME: Duration = Duration::from_secs(1);

/// Agrees with the client on how the connection is encrypted; `None` where that comes to nothing.
pub(super) async fn shake_hands(
    certificates: &Certificates,
    stream: TcpStream,
    stop: &mut watch::Receiver<Option<Instant>>,
) -> Option<Stream> {
    let port = certificates.port();
    let handshake = TlsAcceptor::from(certificates.config()).accept(stream);
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
