use parking_lot::{Mutex, MutexGuard};
use pytriton_kserve::{LogChange, LogError, LogFormat, LogSettings};

use tracing_subscriber::Registry;
use tracing_subscriber::reload::Handle;

use super::forms::set_iso8601;
use super::line_filter::LineFilter;

/// The log of this process.
static ACTIVE: Mutex<Option<ActiveLog>> = Mutex::new(None);

/// An active log.
pub(super) struct ActiveLog {
    pub(super) settings: LogSettings,
    /// The directives of `RUST_LOG`, as long as they apply.
    pub(super) directives: Option<String>,
    pub(super) handle: Handle<LineFilter, Registry>,
}

pub(super) fn start(live: ActiveLog) {
    *lock() = Some(live);
}

fn lock() -> MutexGuard<'static, Option<ActiveLog>> {
    ACTIVE.lock()
}

/// Writes all further lines to a file.
///
/// # Errors
///
/// Returns the system's error if the file cannot be written.
pub fn write_to(path: &std::path::Path) -> std::io::Result<()> {
    if let Some(live) = &mut *lock() {
        super::sink::open(path)?;
        live.settings.file = path.display().to_string();
    }
    Ok(())
}

/// Returns the current settings.
pub fn settings() -> LogSettings {
    let live = lock();
    live.as_ref()
        .map(|live| live.settings.clone())
        .unwrap_or_default()
}

/// Changes a setting. The change is effective when this returns.
///
/// # Errors
///
/// Returns [`LogError::Foreign`] or [`LogError::Json`].
pub fn update(change: LogChange) -> Result<(), LogError> {
    let mut live = lock();
    let live = live.as_mut().ok_or(LogError::Foreign)?;
    let settings = &mut live.settings;
    match change {
        LogChange::Info(on) => settings.info = on,
        LogChange::Warning(on) => settings.warning = on,
        LogChange::Error(on) => settings.error = on,
        LogChange::Verbose(level) => {
            settings.verbose = level;
            // From now on `RUST_LOG` does not apply.
            live.directives = None;
        }
        LogChange::Format(format) => {
            if settings.format == LogFormat::Json {
                return Err(LogError::Json);
            }
            settings.format = format;
            set_iso8601(format == LogFormat::Iso8601);
        }
    }
    let filter = LineFilter::new(live.directives.as_deref(), &live.settings);
    let filter = filter.unwrap_or_else(|_| LineFilter::by_detail(&live.settings));
    // The log lives as long as the process.
    live.handle.reload(filter).map_err(|_| LogError::Foreign)
}
