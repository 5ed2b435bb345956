use std::collections::BTreeMap;
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use pytriton_engine::trace::TraceContext;
use pytriton_kserve::{TraceChanges, TraceError};

use super::layer::Layer;
use super::writer::Writer;
use super::{Timeline, TraceConfigError, TraceSettings};

/// Decides which requests are traced.
///
/// Source: `TraceManager` in Triton 2.51.
#[derive(Debug)]
pub struct Tracer {
    /// Whether any level is enabled.
    on: AtomicBool,
    traces: AtomicU64,
    start: TraceSettings,
    writer: Arc<Writer>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    global: Layer,
    models: BTreeMap<String, Layer>,
}

impl Default for Tracer {
    /// Returns a tracer that traces nothing.
    fn default() -> Self {
        Self::with(TraceSettings::default(), Writer::discarding())
    }
}

impl Tracer {
    /// Creates a tracer with the given settings.
    ///
    /// # Errors
    ///
    /// Returns [`TraceConfigError::Exporter`] if spans cannot be exported.
    pub fn start(settings: TraceSettings) -> Result<Self, TraceConfigError> {
        let writer = Writer::start(&settings.destination)?;
        Ok(Self::with(settings, writer))
    }

    fn with(start: TraceSettings, writer: Arc<Writer>) -> Self {
        let state = State {
            global: Layer::new(start.clone(), &writer),
            models: BTreeMap::new(),
        };
        Self {
            on: AtomicBool::new(!start.level.is_off()),
            traces: AtomicU64::new(0),
            start,
            writer,
            state: Mutex::new(state),
        }
    }

    /// Returns whether any request is traced.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Returns the trace of a request if it is sampled. `client` reads the client's trace.
    pub(crate) fn sample(
        &self,
        model: &str,
        client: impl FnOnce() -> Option<TraceContext>,
    ) -> Option<Arc<Timeline>> {
        if !self.is_on() {
            return None;
        }
        let sampler = {
            let state = self.state.lock();
            let layer = state.models.get(model).unwrap_or(&state.global);
            Arc::clone(&layer.sampler)
        };
        let client = sampler.is_for_traces().then(client).flatten();
        sampler.samples(client.is_some()).then(|| {
            let id = self.traces.fetch_add(1, Ordering::Relaxed) + 1;
            Timeline::new(id, sampler, client)
        })
    }

    /// Returns the settings of a model, or the global ones.
    pub fn settings(&self, model: Option<&str>) -> TraceSettings {
        let state = self.state.lock();
        let layer = model.and_then(|model| state.models.get(model));
        layer.unwrap_or(&state.global).sampler.settings()
    }

    /// Changes the settings of a model, or the global ones.
    ///
    /// # Errors
    ///
    /// Returns [`TraceError::NoFile`] or [`TraceError::NoRate`]. Nothing is changed then.
    pub fn update(&self, model: Option<&str>, changes: &TraceChanges) -> Result<(), TraceError> {
        let mut state = self.state.lock();
        let changed =
            |current: Option<&Layer>, fallback: &TraceSettings, changes: &TraceChanges| {
                Layer::changed(current, fallback, changes, &self.writer)
            };
        match model {
            Some(model) => {
                let fallback = state.global.sampler.settings();
                let layer = changed(state.models.get(model), &fallback, changes)?;
                match layer.has_nothing() {
                    true => state.models.remove(model),
                    false => state.models.insert(model.to_owned(), layer),
                };
            }
            None => {
                let global = changed(Some(&state.global), &self.start, changes)?;
                let fallback = global.sampler.settings();
                let mut models = BTreeMap::new();
                for (model, layer) in &state.models {
                    let layer = changed(Some(layer), &fallback, &TraceChanges::default())?;
                    models.insert(model.clone(), layer);
                }
                *state = State { global, models };
            }
        }
        let mut layers = state.models.values().chain([&state.global]);
        let on = layers.any(|layer| layer.sampler.is_on());
        self.on.store(on, Ordering::Relaxed);
        Ok(())
    }

    /// Writes all recorded traces, and stops tracing. Blocks for at most `within`.
    pub fn stop(&self, within: Duration) {
        let begun = Instant::now();
        {
            let mut state = self.state.lock();
            self.on.store(false, Ordering::Relaxed);
            drop(take(&mut state.models));
            state.global = Layer::new(TraceSettings::default(), &self.writer);
        }
        if self.start.destination.is_given() {
            // First the finished traces, then the records that they leave in buffers.
            for _ in 0..2 {
                self.writer.flush(within.saturating_sub(begun.elapsed()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use pytriton_kserve::{Change, TraceLevel};
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use crate::trace_extension::Destination;

    use super::*;

    const TIMES: TraceLevel = TraceLevel {
        timestamps: true,
        tensors: false,
    };

    fn file(folder: &Path) -> Destination {
        Destination::File(folder.join("t").display().to_string())
    }

    fn started(settings: TraceSettings) -> Tracer {
        Tracer::start(settings).unwrap()
    }

    fn sample(tracer: &Tracer, model: &str) -> Option<Arc<Timeline>> {
        tracer.sample(model, || None)
    }

    fn level(level: TraceLevel) -> TraceChanges {
        TraceChanges {
            level: Change::Set(level),
            ..TraceChanges::default()
        }
    }

    #[test]
    fn models_inherit_unset_settings() {
        let folder = tempfile::tempdir().unwrap();
        let start = TraceSettings {
            destination: file(folder.path()),
            ..TraceSettings::default()
        };
        let tracer = started(start.clone());
        assert!(sample(&tracer, "a").is_none());
        let rate = TraceChanges {
            rate: Change::Set(2),
            ..TraceChanges::default()
        };
        tracer.update(Some("a"), &rate).unwrap();
        tracer.update(None, &level(TIMES)).unwrap();
        let a = tracer.settings(Some("a"));
        assert_eq!((a.rate, a.level), (2, TIMES));
        assert_eq!(tracer.settings(Some("b")).rate, 1000);
        let sampled = (0..6).filter(|_| sample(&tracer, "a").is_some()).count();
        assert_eq!(sampled, 3);
        let cleared = TraceChanges {
            rate: Change::Clear,
            ..TraceChanges::default()
        };
        tracer.update(Some("a"), &cleared).unwrap();
        assert_eq!(tracer.settings(Some("a")).rate, 1000);
        let clear = TraceChanges {
            level: Change::Clear,
            ..TraceChanges::default()
        };
        tracer.update(None, &clear).unwrap();
        assert_eq!(tracer.settings(None), start);
        let counted = TraceChanges {
            count: Change::Set(2),
            rate: Change::Set(1),
            ..level(TIMES)
        };
        tracer.update(None, &counted).unwrap();
        let sampled = (0..6).filter(|_| sample(&tracer, "b").is_some()).count();
        assert_eq!((sampled, tracer.settings(None).count), (2, 0));
        tracer.stop(Duration::from_secs(9));
        assert!(sample(&tracer, "b").is_none());
    }

    #[test]
    fn a_blocked_file_delays_no_request() {
        let folder = tempfile::tempdir().unwrap();
        let first = folder.path().join("t.0");
        mknodat(CWD, &first, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let tracer = started(TraceSettings {
            destination: file(folder.path()),
            level: TIMES,
            rate: 1,
            log_frequency: 1,
            ..TraceSettings::default()
        });
        for _ in 0..2000 {
            let timeline = sample(&tracer, "a").unwrap();
            timeline.at("REQUEST_START", tokio::time::Instant::now());
        }
        let begun = Instant::now();
        tracer.stop(Duration::from_millis(100));
        assert!(begun.elapsed() < Duration::from_secs(1));
    }

    #[test]
    fn settings_without_effect_are_refused() {
        let tracer = Tracer::default();
        assert_eq!(tracer.update(None, &level(TIMES)), Err(TraceError::NoFile));
        let rate = TraceChanges {
            rate: Change::Set(0),
            ..TraceChanges::default()
        };
        tracer.update(None, &rate).unwrap();
        assert_eq!(
            tracer.update(Some("a"), &level(TIMES)),
            Err(TraceError::NoRate)
        );
        assert_eq!(tracer.settings(None).rate, 0);
    }

    #[test]
    fn invalid_setting_of_a_model_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let tracer = started(TraceSettings {
            destination: file(folder.path()),
            ..TraceSettings::default()
        });
        tracer.update(Some("a"), &level(TIMES)).unwrap();
        let settings = || [None, Some("a")].map(|model| tracer.settings(model));
        let before = settings();
        let never = TraceChanges {
            rate: Change::Set(0),
            ..TraceChanges::default()
        };
        assert_eq!(tracer.update(None, &never), Err(TraceError::NoRate));
        assert_eq!(settings(), before);
    }
}
