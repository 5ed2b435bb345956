use std::sync::Arc;

use pytriton_kserve::{Change, TraceChanges, TraceError};

use super::TraceSettings;
use super::sampler::Sampler;
use super::writer::Writer;

/// Settings, and which of them are set in this layer.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    own: Own,
    pub(super) sampler: Arc<Sampler>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Own {
    level: bool,
    rate: bool,
    count: bool,
    log_frequency: bool,
}

impl Layer {
    /// Creates a layer that inherits all settings.
    pub(super) fn new(settings: TraceSettings, writer: &Arc<Writer>) -> Self {
        Self {
            own: Own::default(),
            sampler: Sampler::new(settings, writer),
        }
    }

    /// Returns whether all settings are inherited.
    pub(super) fn has_nothing(&self) -> bool {
        self.own == Own::default()
    }

    /// Returns a layer with changes applied. Settings that it does not set come from `fallback`.
    pub(super) fn changed(
        current: Option<&Self>,
        fallback: &TraceSettings,
        changes: &TraceChanges,
        writer: &Arc<Writer>,
    ) -> Result<Self, TraceError> {
        let mut own = current.map(|layer| layer.own).unwrap_or_default();
        let now = current.map(|layer| layer.sampler.settings());
        let now = now.as_ref().unwrap_or(fallback);
        let settings = TraceSettings {
            level: chosen(changes.level, &mut own.level, now.level, fallback.level),
            rate: chosen(changes.rate, &mut own.rate, now.rate, fallback.rate),
            count: chosen(changes.count, &mut own.count, now.count, fallback.count),
            log_frequency: chosen(
                changes.log_frequency,
                &mut own.log_frequency,
                now.log_frequency,
                fallback.log_frequency,
            ),
            destination: fallback.destination.clone(),
        };
        if !settings.level.is_off() && settings.rate == 0 {
            return Err(TraceError::NoRate);
        }
        if !settings.level.is_off() && !settings.destination.is_given() {
            return Err(TraceError::NoFile);
        }
        let sampler = Sampler::new(settings, writer);
        Ok(Self { own, sampler })
    }
}

fn chosen<T>(change: Change<T>, own: &mut bool, now: T, fallback: T) -> T {
    match change {
        Change::Set(value) => {
            *own = true;
            value
        }
        Change::Clear => {
            *own = false;
            fallback
        }
        Change::Keep if *own => now,
        Change::Keep => fallback,
    }
}
