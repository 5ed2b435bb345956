use std::collections::BTreeSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use prometheus_client::encoding::text::encode_registry;
use prometheus_client::registry::Registry;
use thiserror::Error;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::openmetrics::{families, prometheus_text};

/// The prefixes of the names that the server uses.
const RESERVED: [&str; 3] = ["nv_", "process_", "pytriton_"];

/// The maximum size of the metrics of a program.
const MAX_TEXT_BYTES: usize = 4 << 20;

/// How long a request for metrics waits for those of the program, whose collectors may block.
const TEXT_TIMEOUT: Duration = Duration::from_secs(1);

/// The metrics that a program adds to those of the server.
#[derive(Debug, Clone)]
pub struct ProgramMetrics {
    registries: Arc<Vec<Registry>>,
    /// The latest text. Requests that arrive while it is written share it, so that collectors that
    /// block hold at most one thread.
    latest: Arc<Mutex<Option<Writing>>>,
    /// Whether the latest text is incomplete, which has been logged.
    incomplete: Arc<AtomicBool>,
}

/// A text that is being written, or has been.
#[derive(Debug, Clone)]
struct Writing {
    begun: Instant,
    text: watch::Receiver<Option<Written>>,
}

/// The metrics in Prometheus' text format, and why some are missing.
#[derive(Debug, Clone)]
struct Written {
    text: Arc<str>,
    error: Option<ProgramMetricsError>,
}

/// The metrics of a program cannot be served.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProgramMetricsError {
    /// A name has a prefix that the server uses.
    #[error(
        "the metric `{name}` of the program starts with `{prefix}`, which is reserved for metrics of the server: rename it"
    )]
    Reserved {
        /// The name of the metric.
        name: String,
        /// The reserved prefix.
        prefix: &'static str,
    },
    /// Two metrics have the same name.
    #[error(
        "the program registers two metrics with the name `{name}`: rename one, or register one family with labels"
    )]
    Duplicate {
        /// The name of the metrics.
        name: String,
    },
    /// The metrics cannot be written.
    #[error("the metrics of the program cannot be written: {0}")]
    Unwritable(&'static str),
}

impl ProgramMetrics {
    /// Checks the metrics of registries, except for families without values, which have no text.
    ///
    /// # Errors
    ///
    /// Returns [`ProgramMetricsError`] if a name is reserved or used twice, or if the metrics
    /// cannot be written.
    pub fn new(registries: Vec<Registry>) -> Result<Self, ProgramMetricsError> {
        match write(&registries).error {
            Some(error) => Err(error),
            None => Ok(Self {
                registries: Arc::new(registries),
                latest: Arc::default(),
                incomplete: Arc::default(),
            }),
        }
    }

    /// Returns the metrics in Prometheus' text format. Metrics that cannot be written in time, or
    /// whose names are reserved or used twice, are left out with a warning, so that the others
    /// remain available.
    pub(crate) async fn text(&self) -> Arc<str> {
        let Writing { begun, mut text } = self.writing();
        let deadline = begun + TEXT_TIMEOUT;
        let written = match timeout_at(deadline, text.wait_for(Option::is_some)).await {
            Ok(Ok(written)) => written.clone(),
            Ok(Err(_)) => Some(Written::failed("no thread can be started")),
            Err(_) => Some(Written::failed("a collector did not return within 1 s")),
        };
        let Written { text, error } = written.unwrap_or_default();
        let was_incomplete = self.incomplete.swap(error.is_some(), Ordering::Relaxed);
        if let (Some(error), false) = (error, was_incomplete) {
            tracing::warn!("{error}; /metrics does not contain them");
        }
        text
    }

    /// Returns the text that is being written, or starts another.
    fn writing(&self) -> Writing {
        let mut latest = self.latest.lock();
        let is_running = |writing: &&Writing| {
            writing.text.has_changed().is_ok() && writing.text.borrow().is_none()
        };
        if let Some(running) = latest.as_ref().filter(is_running) {
            return running.clone();
        }
        let (written, text) = watch::channel(None);
        let registries = Arc::clone(&self.registries);
        let write = move || drop(written.send_replace(Some(write(&registries))));
        // The receiver learns of a failure when the sender is dropped.
        let _ = thread::Builder::new().name("metrics".into()).spawn(write);
        let begun = Instant::now();
        latest.insert(Writing { begun, text }).clone()
    }
}

impl Written {
    fn failed(reason: &'static str) -> Self {
        Self {
            error: Some(ProgramMetricsError::Unwritable(reason)),
            ..Self::default()
        }
    }
}

impl Default for Written {
    fn default() -> Self {
        Self {
            text: "".into(),
            error: None,
        }
    }
}

/// Writes the metrics of registries without those whose names conflict.
fn write(registries: &[Registry]) -> Written {
    let mut text = LimitedText::default();
    let mut registries = registries.iter();
    let encoding = || registries.try_for_each(|registry| encode_registry(&mut text, registry));
    // Collectors are functions of the program.
    match catch_unwind(AssertUnwindSafe(encoding)) {
        Ok(Ok(())) => without_conflicts(&prometheus_text(&text.0)),
        Ok(Err(_)) => Written::failed("they exceed 4 MiB, or a metric returned an error"),
        Err(_) => Written::failed("a collector panicked"),
    }
}

/// Removes the families whose names are reserved or occur twice.
fn without_conflicts(text: &str) -> Written {
    let mut seen = BTreeSet::new();
    let (mut kept, mut error) = (String::with_capacity(text.len()), None);
    for (name, family) in families(text) {
        let reserved = RESERVED.into_iter().find(|prefix| name.starts_with(prefix));
        let conflict = match reserved {
            Some(prefix) => Some(ProgramMetricsError::Reserved {
                name: name.to_owned(),
                prefix,
            }),
            None => (!seen.insert(name)).then(|| ProgramMetricsError::Duplicate {
                name: name.to_owned(),
            }),
        };
        match conflict {
            Some(conflict) => error = error.or(Some(conflict)),
            None => kept += family,
        }
    }
    let text = kept.into();
    Written { text, error }
}

/// A text of at most [`MAX_TEXT_BYTES`].
#[derive(Default)]
struct LimitedText(String);

impl fmt::Write for LimitedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_TEXT_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use prometheus_client::collector::Collector;
    use prometheus_client::encoding::DescriptorEncoder;
    use prometheus_client::metrics::counter::Counter;
    use prometheus_client::metrics::family::Family;

    use super::*;

    fn registered(names: &[&str]) -> Registry {
        let mut registry = Registry::default();
        for name in names {
            registry.register(*name, "Hits", Counter::<u64>::default());
        }
        registry
    }

    #[test]
    fn names_of_the_server_and_duplicates_are_refused() {
        for (names, expected) in [
            (
                &["nv_hits"][..],
                "`nv_hits_total` of the program starts with `nv_`",
            ),
            (&["hits", "pytriton_hits"], "starts with `pytriton_`"),
            (&["process_hits"], "starts with `process_`"),
            (&["hits", "hits"], "two metrics with the name `hits_total`"),
        ] {
            let error = ProgramMetrics::new(vec![registered(names)]).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        let twice = ProgramMetrics::new(vec![registered(&["hits"]), registered(&["hits"])]);
        assert!(twice.is_err());
    }

    #[derive(Debug)]
    struct Misbehaving(fn() -> String);

    impl Collector for Misbehaving {
        fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
            use prometheus_client::metrics::MetricType;
            let help = (self.0)();
            let kind = MetricType::Counter;
            encoder.encode_descriptor("of_collector", &help, None, kind)?;
            Ok(())
        }
    }

    fn misbehaving(make: fn() -> String) -> ProgramMetrics {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Misbehaving(make)));
        ProgramMetrics {
            registries: Arc::new(vec![registry]),
            latest: Arc::default(),
            incomplete: Arc::default(),
        }
    }

    #[tokio::test]
    async fn metrics_that_cannot_be_written_are_left_out() {
        for make in [(|| panic!("broken")) as fn() -> String, || {
            "x".repeat(MAX_TEXT_BYTES)
        }] {
            assert_eq!(&*misbehaving(make).text().await, "");
        }
        let text = misbehaving(|| "Hits".to_owned()).text().await;
        assert!(
            text.starts_with("# HELP of_collector_total Hits\n"),
            "{text}"
        );
    }

    #[tokio::test]
    async fn a_collector_that_blocks_holds_one_thread_and_no_request() {
        let metrics = misbehaving(|| {
            thread::sleep(2 * TEXT_TIMEOUT);
            String::new()
        });
        let texts = (0..8).map(|_| metrics.text());
        let begun = Instant::now();
        let texts = futures_util::future::join_all(texts).await;
        assert!(texts.iter().all(|text| text.is_empty()));
        // Later requests do not wait for it.
        assert_eq!(&*metrics.text().await, "");
        assert!(begun.elapsed() < 2 * TEXT_TIMEOUT);
        assert!(metrics.writing().text.borrow().is_none());
    }

    #[tokio::test]
    async fn families_that_conflict_later_are_left_out() {
        let mut registry = registered(&["hits"]);
        let families = ["nv_later", "later", "later"].map(|name| {
            let family = Family::<Vec<(String, String)>, Counter>::default();
            registry.register(name, "Later", family.clone());
            family
        });
        let metrics = ProgramMetrics::new(vec![registry]).unwrap();
        for family in families {
            family.get_or_create(&vec![("a".into(), "b".into())]).inc();
        }
        let text = metrics.text().await;
        let types: Vec<&str> = text.lines().filter(|line| line.contains("TYPE")).collect();
        let expected = ["# TYPE hits_total counter", "# TYPE later_total counter"];
        assert_eq!(types, expected, "{text}");
        assert!(!text.contains("nv_later"), "{text}");
    }
}
