use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{LevelFilter, ParseError};
use tracing_subscriber::layer::{Context, Filter};

use super::LogSettings;
use super::filter::{by_detail, filter};

/// Selects the lines that pass a filter and whose level is enabled.
#[derive(Debug)]
pub(super) struct LineFilter {
    filter: EnvFilter,
    off: Vec<Level>,
}

impl LineFilter {
    /// Creates a filter from directives, or by default from the verbosity of the settings.
    ///
    /// # Errors
    ///
    /// Returns a [`ParseError`] if the directives are malformed.
    pub(super) fn new(
        directives: Option<&str>,
        settings: &LogSettings,
    ) -> Result<Self, ParseError> {
        let filter = filter(detail(settings), directives)?;
        Ok(Self::with(filter, settings))
    }

    /// Creates a filter from the verbosity of the settings.
    pub(super) fn by_detail(settings: &LogSettings) -> Self {
        Self::with(by_detail(detail(settings)), settings)
    }

    fn with(filter: EnvFilter, settings: &LogSettings) -> Self {
        let levels = [
            (settings.info, Level::INFO),
            (settings.warning, Level::WARN),
            (settings.error, Level::ERROR),
        ];
        let off = levels.into_iter().filter(|(on, _)| !on);
        Self {
            filter,
            off: off.map(|(_, level)| level).collect(),
        }
    }

    /// Returns whether the level of a line is disabled. A span writes no line itself.
    fn is_off(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && self.off.contains(metadata.level())
    }
}

fn detail(settings: &LogSettings) -> u8 {
    u8::try_from(settings.verbose).unwrap_or(u8::MAX)
}

impl<S: Subscriber> Filter<S> for LineFilter {
    fn enabled(&self, metadata: &Metadata<'_>, context: &Context<'_, S>) -> bool {
        !self.is_off(metadata) && Filter::<S>::enabled(&self.filter, metadata, context)
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        match self.is_off(metadata) {
            true => Interest::never(),
            false => Filter::<S>::callsite_enabled(&self.filter, metadata),
        }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Filter::<S>::max_level_hint(&self.filter)
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        self.filter.on_new_span(attributes, id, context);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        Filter::<S>::on_record(&self.filter, id, values, context);
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        Filter::<S>::on_enter(&self.filter, id, context);
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        Filter::<S>::on_exit(&self.filter, id, context);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        Filter::<S>::on_close(&self.filter, id, context);
    }
}
