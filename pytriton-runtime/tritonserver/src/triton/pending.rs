use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::process::reachable;

/// The timeout for reading the metrics.
const METRICS_TIMEOUT: Duration = Duration::from_secs(1);

/// The maximum size of the metrics.
const MAX_BYTES: u64 = 16 << 20;

/// Triton's gauge, per model, of accepted requests that no instance has received yet.
const FAMILY: &str = "nv_inference_pending_request_count";

/// Returns the number of requests that are queued in tritonserver, for example for a sequence slot.
/// Returns `None` if the metrics do not report it.
pub(super) async fn pending_requests(metrics: SocketAddr) -> Option<u64> {
    let address = reachable(metrics);
    let read = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        let request =
            format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut text = String::new();
        let mut limited = stream.take(MAX_BYTES);
        limited.read_to_string(&mut text).await.ok()?;
        Some(text)
    };
    total(&timeout(METRICS_TIMEOUT, read).await.ok()??)
}

/// Returns the sum of the gauge, or `None` if it is missing or not a number.
fn total(metrics: &str) -> Option<u64> {
    let values = metrics.lines().filter_map(|line| {
        let labels = line.strip_prefix(FAMILY)?;
        labels.starts_with('{').then(|| labels.rsplit(' ').next())
    });
    let mut total = None;
    for value in values {
        let value: f64 = value?.parse().ok()?;
        let counted = value.is_finite().then_some(value.max(0.0))?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of requests, which is finite and not negative"
        )]
        let counted = counted as u64;
        total = Some(total.unwrap_or(0_u64).saturating_add(counted));
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_requests_of_all_models_are_added() {
        const HELP: &str = "HTTP/1.1 200 OK\r\n\r\n# HELP nv_inference_pending_request_count Instantaneous number\n\
                            # TYPE nv_inference_pending_request_count gauge\nnv_inference_request_success{model=\"A\"} 7\n";
        let line = |model, value| format!("{FAMILY}{{model=\"{model}\",version=\"1\"}} {value}\n");
        let table = [
            (String::new(), None),
            (line("A", "0"), Some(0)),
            (line("A", "1.000000") + &line("B, x", "2"), Some(3)),
            (line("A", "1") + &line("B", "NaN"), None),
            (line("A", "x"), None),
            (format!("{FAMILY}_of_another{{}} 5\n"), None),
        ];
        for (lines, expected) in table {
            let text = format!("{HELP}{lines}");
            assert_eq!(total(&text), expected, "{text}");
        }
    }
}
