use std::time::Duration;

use pytriton_engine::trace::{Batching, Recorder};

use super::TraceConfigError;
use super::number::setting;

const URL: &str = "url";
const RESOURCE: &str = "resource";
const QUEUE: &str = "bsp_max_queue_size";
const DELAY: &str = "bsp_schedule_delay";
const BATCH: &str = "bsp_max_export_batch_size";

/// The collector that receives traces as spans, and its settings.
///
/// Source: `TraceManager::ProcessOpenTelemetryParameters` and
/// `ProcessOpenTelemetryBatchSpanProcessorArgs` in Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collector {
    /// The address; by default the one in the `OTEL_*` variables.
    url: Option<String>,
    resource: Vec<(String, String)>,
    batching: Batching,
    /// The settings as reported to clients.
    reported: Vec<(&'static str, String)>,
}

impl Collector {
    /// Creates a collector from its settings.
    pub(super) fn new(settings: &[(String, String)]) -> Result<Self, TraceConfigError> {
        let mut collector = Self {
            url: None,
            resource: Vec::new(),
            batching: Batching::from_env(),
            reported: Vec::new(),
        };
        for (name, value) in settings {
            let name = collector.set(name, value)?;
            let reported = if name == URL {
                without_user(value)
            } else {
                value.clone()
            };
            collector.reported.push((name, reported));
        }
        let batching = collector.batching;
        if batching != batching.bounded() {
            let Batching { queue, batch, .. } = batching;
            return Err(TraceConfigError::Batching { queue, batch });
        }
        let defaults = [
            (DELAY, batching.delay.as_millis().to_string()),
            (BATCH, batching.batch.to_string()),
            (QUEUE, batching.queue.to_string()),
        ];
        for (name, value) in defaults {
            if settings.iter().all(|(given, _)| given != name) {
                collector.reported.push((name, value));
            }
        }
        Ok(collector)
    }

    /// Applies a setting and returns its name.
    fn set(&mut self, name: &str, value: &str) -> Result<&'static str, TraceConfigError> {
        let number = || setting::<u32>(name, value);
        let batching = &mut self.batching;
        Ok(match name {
            URL => {
                self.url = Some(match value.split_once("://") {
                    Some(("http", _)) => value.to_owned(),
                    Some(_) => {
                        let url = without_user(value);
                        return Err(TraceConfigError::Url { url });
                    }
                    // As in Triton.
                    None => format!("http://{value}"),
                });
                URL
            }
            RESOURCE => {
                // Same as in Triton if there is no `=`.
                let (key, value) = value.split_once('=').unwrap_or((value, value));
                self.resource.push((key.to_owned(), value.to_owned()));
                RESOURCE
            }
            QUEUE => {
                batching.queue = number()? as usize;
                QUEUE
            }
            BATCH => {
                batching.batch = number()? as usize;
                BATCH
            }
            DELAY => {
                batching.delay = Duration::from_millis(number()?.into());
                DELAY
            }
            _ => {
                let setting = format!("opentelemetry,{name}");
                return Err(TraceConfigError::Setting { setting });
            }
        })
    }

    /// Returns the settings as reported to clients.
    pub(super) fn reported(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.reported
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
    }

    /// Starts sending to it.
    pub(super) fn start(&self) -> Result<Recorder, TraceConfigError> {
        let recorder = Recorder::start(self.url.as_deref(), &self.resource, self.batching);
        recorder.map_err(TraceConfigError::Exporter)
    }
}

/// Removes the user and password from a URL.
fn without_user(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://{rest}"),
        (None, Some((_, rest))) => rest.to_owned(),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collector(settings: &[(&str, &str)]) -> Result<Collector, TraceConfigError> {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        Collector::new(&settings.iter().map(owned).collect::<Vec<_>>())
    }

    #[test]
    fn set_options_are_reported_before_defaults() {
        let url = ("url", "http://localhost:1/v1/traces");
        let given = [url, ("resource", "a=b=c"), (QUEUE, "7"), (BATCH, "7")];
        let collector = collector(&given).unwrap();
        let reported: Vec<_> = collector.reported().collect();
        assert_eq!(reported[..4], given);
        assert_eq!(reported[4..], [(DELAY, "5000")]);
        assert_eq!(collector.resource, [("a".to_owned(), "b=c".to_owned())]);
    }

    #[test]
    fn password_of_the_collector_is_hidden() {
        let named = ("url", "http://a:Sesam@localhost:1/v1/traces");
        let collector_of_a = collector(&[named]).unwrap();
        let reported: Vec<_> = collector_of_a.reported().collect();
        assert_eq!(reported[0], ("url", "http://localhost:1/v1/traces"));
        let error = collector(&[("url", "https://a:Sesam@b")]).unwrap_err();
        assert!(!error.to_string().contains("Sesam"), "{error}");
    }

    #[test]
    fn an_address_without_a_scheme_is_one_of_http() {
        for given in ["localhost:1/v1/traces", "a:Sesam@localhost:1/v1/traces"] {
            let collector = collector(&[("url", given)]).unwrap();
            assert_eq!(collector.url, Some(format!("http://{given}")));
            let reported = collector.reported().next();
            assert_eq!(reported, Some(("url", "localhost:1/v1/traces")));
        }
    }

    #[test]
    fn impossible_settings_are_refused() {
        let table = [
            (("url", "https://localhost:1"), "must start with http://"),
            ((QUEUE, "0"), "bsp_max_queue_size is 0,"),
            ((QUEUE, "4294967295"), "bsp_max_queue_size is 4294967295,"),
            ((BATCH, "3000"), "bsp_max_export_batch_size is 3000,"),
            ((DELAY, "-1"), "Got -1"),
            (("headers", "x"), "has no setting 'opentelemetry,headers'"),
        ];
        for (given, expected) in table {
            let error = collector(&[given]).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
