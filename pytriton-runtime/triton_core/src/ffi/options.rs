use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use crate::error::{Code, CoreError};
use crate::options::{CoreOptions, ModelControl};

use super::Loaded;
use super::error::c_text;
use super::raw::RawOptions;

/// `TRITONSERVER_MODEL_CONTROL_NONE`.
const CONTROL_NONE: i32 = 0;
/// `TRITONSERVER_MODEL_CONTROL_EXPLICIT`.
const CONTROL_EXPLICIT: i32 = 2;

/// Options of Triton that this process owns.
#[derive(Debug)]
pub(super) struct Options {
    raw: *mut RawOptions,
    library: &'static Loaded,
}

impl Options {
    /// Creates options from their description.
    pub(super) fn new(library: &'static Loaded, options: &CoreOptions) -> Result<Self, CoreError> {
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is valid for writes.
        library.check(unsafe { (library.api.options_new)(&raw mut raw) })?;
        let new = Self { raw, library };
        new.set_models(options)?;
        new.set_caches(options)?;
        new.set_process(options)?;
        Ok(new)
    }

    /// Returns the options, which live as long as this value.
    pub(super) fn raw(&self) -> *mut RawOptions {
        self.raw
    }

    fn set_models(&self, options: &CoreOptions) -> Result<(), CoreError> {
        let (library, api, raw) = (self.library, &self.library.api, self.raw);
        let id = c_text(&options.server_id, "the server ID")?;
        // SAFETY: for this and all calls below, the options are live until dropped, and texts end
        // with a zero byte and are copied.
        library.check(unsafe { (api.set_server_id)(raw, id.as_ptr()) })?;
        for repository in &options.repositories {
            let path = c_path(repository)?;
            // SAFETY: as above.
            library.check(unsafe { (api.add_repository)(raw, path.as_ptr()) })?;
        }
        let (mode, models) = match &options.control {
            ModelControl::All => (CONTROL_NONE, &[][..]),
            ModelControl::Explicit(models) => (CONTROL_EXPLICIT, models.as_slice()),
        };
        // SAFETY: as above.
        library.check(unsafe { (api.set_control_mode)(raw, mode) })?;
        for model in models {
            let model = c_text(model, "the name of a model")?;
            // SAFETY: as above.
            library.check(unsafe { (api.add_startup_model)(raw, model.as_ptr()) })?;
        }
        if let Some(backends) = &options.backends {
            let path = c_path(backends)?;
            // SAFETY: as above.
            library.check(unsafe { (api.set_backend_directory)(raw, path.as_ptr()) })?;
        }
        for (backend, setting, value) in &options.backend_configs {
            let backend = c_text(backend, "the name of a backend")?;
            let setting = c_text(setting, "the setting of a backend")?;
            let value = c_text(value, "the setting of a backend")?;
            let (backend, setting, value) = (backend.as_ptr(), setting.as_ptr(), value.as_ptr());
            // SAFETY: as above.
            library.check(unsafe { (api.set_backend_config)(raw, backend, setting, value) })?;
        }
        Ok(())
    }

    fn set_caches(&self, options: &CoreOptions) -> Result<(), CoreError> {
        let (library, api, raw) = (self.library, &self.library.api, self.raw);
        if let Some(caches) = &options.caches {
            let path = c_path(caches)?;
            // SAFETY: as above.
            library.check(unsafe { (api.set_cache_directory)(raw, path.as_ptr()) })?;
        }
        for (name, config) in &options.cache_configs {
            let name = c_text(name, "the name of a cache")?;
            let config = c_text(config, "the configuration of a cache")?;
            let (name, config) = (name.as_ptr(), config.as_ptr());
            // SAFETY: as above.
            library.check(unsafe { (api.set_cache_config)(raw, name, config) })?;
        }
        Ok(())
    }

    fn set_process(&self, options: &CoreOptions) -> Result<(), CoreError> {
        let (library, api, raw) = (self.library, &self.library.api, self.raw);
        let strict = options.strict_readiness;
        // SAFETY: as above.
        library.check(unsafe { (api.set_strict_readiness)(raw, strict) })?;
        let exit = options.exit_on_error;
        // SAFETY: as above.
        library.check(unsafe { (api.set_exit_on_error)(raw, exit) })?;
        let timeout = options.exit_timeout_secs;
        // SAFETY: as above.
        library.check(unsafe { (api.set_exit_timeout)(raw, timeout) })?;
        let bytes = options.pinned_memory_bytes;
        // SAFETY: as above.
        library.check(unsafe { (api.set_pinned_bytes)(raw, bytes) })?;
        let log = options.log;
        // SAFETY: as above.
        if_built(library.check(unsafe { (api.set_log_info)(raw, log.info) }))?;
        // SAFETY: as above.
        if_built(library.check(unsafe { (api.set_log_warn)(raw, log.warn) }))?;
        // SAFETY: as above.
        if_built(library.check(unsafe { (api.set_log_error)(raw, log.error) }))?;
        // SAFETY: as above.
        if_built(library.check(unsafe { (api.set_log_verbose)(raw, i32::from(log.verbose)) }))?;
        // SAFETY: as above.
        let metrics = library.check(unsafe { (api.set_metrics)(raw, options.metrics) });
        match options.metrics {
            true => metrics?,
            false => if_built(metrics)?,
        }
        // Both describe the machine, which the metrics of the process already do.
        // SAFETY: as above.
        if_built(library.check(unsafe { (api.set_gpu_metrics)(raw, false) }))?;
        // SAFETY: as above.
        if_built(library.check(unsafe { (api.set_cpu_metrics)(raw, false) }))
    }
}

impl Drop for Options {
    fn drop(&mut self) {
        // SAFETY: the options belong to this value and are not used any more.
        let error = unsafe { (self.library.api.options_delete)(self.raw) };
        // The error cannot be reported.
        let _ = self.library.check(error);
    }
}

/// Ignores that a feature is missing: Triton can be built without logs and without metrics.
fn if_built(set: Result<(), CoreError>) -> Result<(), CoreError> {
    match set {
        Err(CoreError::Triton {
            code: Code::Unsupported,
            ..
        }) => Ok(()),
        set => set,
    }
}

fn c_path(path: &Path) -> Result<CString, CoreError> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| CoreError::ZeroByte { what: "a path" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_missing_features_are_ignored() {
        let failed = |code| {
            Err(CoreError::Triton {
                code,
                message: "failed".to_owned(),
            })
        };
        assert_eq!(if_built(Ok(())), Ok(()));
        assert_eq!(if_built(failed(Code::Unsupported)), Ok(()));
        assert_eq!(if_built(failed(Code::Internal)), failed(Code::Internal));
    }
}
