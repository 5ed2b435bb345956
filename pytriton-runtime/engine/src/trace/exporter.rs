use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};
use std::{mem, thread};

use opentelemetry::Context;
use opentelemetry_otlp::{SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{Span, SpanData, SpanExporter as _, SpanProcessor};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::{Batching, TracesError};

/// The minimum interval between log lines about lost spans.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// The number of spans that were not sent because the queue was full or the collector failed.
#[derive(Debug, Clone, Default)]
pub(super) struct DroppedSpans(Arc<AtomicU64>);

impl DroppedSpans {
    pub(super) fn spans(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, spans: usize) {
        self.0.fetch_add(spans as u64, Ordering::Relaxed);
    }
}

/// A queue of finished spans that a separate thread sends. When it is full, further spans are
/// dropped: requests never wait for it.
#[derive(Debug)]
pub(super) struct Bounded {
    sender: SyncSender<Message>,
    dropped: DroppedSpans,
}

enum Message {
    Span(Box<SpanData>),
    /// Sends a signal once all earlier spans are sent.
    Flush(SyncSender<()>),
}

impl Bounded {
    /// Starts a thread that sends to a collector, by default the one in the `OTEL_*` variables.
    pub(super) fn start(
        resource: &Resource,
        dropped: DroppedSpans,
        batching: Batching,
        url: Option<&str>,
    ) -> Result<Self, TracesError> {
        let failed = |error: &dyn ToString| TracesError::Exporter(error.to_string());
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| failed(&error))?;
        let entered = runtime.enter();
        let exporter = SpanExporter::builder().with_http();
        let exporter = match url {
            Some(url) => exporter.with_endpoint(url),
            None => exporter,
        };
        let mut exporter = exporter.build().map_err(|error| failed(&error))?;
        drop(entered);
        exporter.set_resource(resource);
        let (sender, receiver) = sync_channel(batching.queue);
        let sending = Sending {
            receiver,
            runtime,
            exporter,
            batching,
            dropped: dropped.clone(),
            last_logged: None,
            reported: 0,
        };
        let thread = thread::Builder::new().name("spans".to_owned());
        thread
            .spawn(move || sending.run())
            .map_err(|error| failed(&error))?;
        Ok(Self { sender, dropped })
    }
}

impl SpanProcessor for Bounded {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if !span.span_context.is_sampled() {
            return;
        }
        let sent = self.sender.try_send(Message::Span(Box::new(span)));
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = sent {
            self.dropped.add(1);
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.shutdown_with_timeout(Duration::from_secs(5))
    }

    fn shutdown_with_timeout(&self, within: Duration) -> OTelSdkResult {
        let (flushed, wait) = sync_channel(1);
        let failed = |error: &dyn ToString| OTelSdkError::InternalFailure(error.to_string());
        let begun = Instant::now();
        let mut message = Message::Flush(flushed);
        // The queue may be full while the thread is sending.
        while let Err(error) = self.sender.try_send(message) {
            message = match error {
                TrySendError::Full(message) if begun.elapsed() < within => message,
                error => return Err(failed(&error.to_string())),
            };
            thread::sleep(Duration::from_millis(5));
        }
        let left = within.saturating_sub(begun.elapsed());
        wait.recv_timeout(left)
            .map_err(|_| OTelSdkError::Timeout(within))
    }
}

/// The state of the thread that sends.
struct Sending {
    receiver: Receiver<Message>,
    runtime: Runtime,
    exporter: SpanExporter,
    batching: Batching,
    dropped: DroppedSpans,
    /// The time of the last log line about lost spans.
    last_logged: Option<Instant>,
    reported: u64,
}

impl Sending {
    fn run(mut self) {
        let mut spans = Vec::new();
        let mut since = Instant::now();
        loop {
            let message = match spans.is_empty() {
                true => self.receiver.recv().map_err(RecvTimeoutError::from),
                false => {
                    let wait = self.batching.delay.saturating_sub(since.elapsed());
                    self.receiver.recv_timeout(wait)
                }
            };
            let flushed = match message {
                Ok(Message::Span(span)) => {
                    if spans.is_empty() {
                        since = Instant::now();
                    }
                    spans.push(*span);
                    if spans.len() < self.batching.batch {
                        continue;
                    }
                    None
                }
                Ok(Message::Flush(flushed)) => Some(flushed),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return self.send(mem::take(&mut spans)),
            };
            self.send(mem::take(&mut spans));
            if let Some(flushed) = flushed {
                // The receiver may be gone.
                let _ = flushed.try_send(());
            }
        }
    }

    fn send(&mut self, spans: Vec<SpanData>) {
        let count = spans.len();
        if count > 0 {
            // The timer requires the runtime.
            let exporting =
                async { timeout(self.batching.timeout, self.exporter.export(spans)).await };
            let error = match self.runtime.block_on(exporting) {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(_) => Some("the collector did not respond in time".to_owned()),
            };
            if let Some(error) = error {
                self.dropped.add(count);
                return self.log_dropped(&error);
            }
        }
        self.log_dropped("the queue was full");
    }

    fn log_dropped(&mut self, why: &str) {
        let dropped = self.dropped.spans();
        let new = dropped - self.reported;
        if new > 0
            && self
                .last_logged
                .is_none_or(|last_logged| last_logged.elapsed() >= LOG_INTERVAL)
        {
            self.last_logged = Some(Instant::now());
            self.reported = dropped;
            tracing::warn!(spans = new, "spans were dropped: {why}");
        }
    }
}
