use std::ffi::{CString, c_char};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{ptr, slice, thread};

use parking_lot::Mutex;

use crate::CoreError;
use crate::options::CoreOptions;

use super::Loaded;
use super::error::c_text;
use super::options::Options;
use super::raw::{
    CONFIG_VERSION, METRICS_PROMETHEUS, PARAMETER_STRING, RawMessage, RawParameter, RawServer,
};
use super::requests::{Requests, SETTLE_TIME};

/// A server that this process owns. It is deleted on drop, unless it has not stopped in time.
#[derive(Debug)]
pub(crate) struct Server {
    raw: *mut RawServer,
    library: &'static Loaded,
    requests: Arc<Requests>,
    /// The result of stopping Triton, which only the first call of its function reports.
    stopped: Mutex<Option<Result<(), CoreError>>>,
}

// SAFETY: every function of a server may be called by any thread, also at the same time as others.
unsafe impl Send for Server {}
// SAFETY: as above.
unsafe impl Sync for Server {}

/// Whether the process has a server. Triton frees memory pools of the process when a server is
/// deleted, even if another one uses them.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// How long a server that is dropped waits for its requests.
const DROP_TIMEOUT: Duration = Duration::from_secs(1);

/// How often the number of requests is read while waiting for them.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The version number of a request whose version the policy of the model selects.
pub(super) const ANY_VERSION: i64 = -1;

type ModelMessage = unsafe extern "C" fn(
    *mut RawServer,
    *const c_char,
    i64,
    *mut *mut RawMessage,
) -> super::api::Error;

impl Server {
    /// Starts a server, which loads its models.
    pub(crate) fn new(library: &'static Loaded, options: &CoreOptions) -> Result<Self, CoreError> {
        // This comes first, because creating options changes the log of the process.
        if IN_USE.swap(true, Ordering::AcqRel) {
            return Err(CoreError::Another);
        }
        let raw = Options::new(library, options).and_then(|new| Self::start(library, &new));
        let raw = raw.inspect_err(|_| IN_USE.store(false, Ordering::Release))?;
        Ok(Self {
            raw,
            library,
            requests: Requests::new(library),
            stopped: Mutex::new(None),
        })
    }

    fn start(library: &Loaded, options: &Options) -> Result<*mut RawServer, CoreError> {
        let mut raw = ptr::null_mut();
        // SAFETY: the pointer is valid for writes, and the options are live until after the call.
        let error = unsafe { (library.api.server_new)(&raw mut raw, options.raw()) };
        library.check(error)?;
        Ok(raw)
    }

    /// Returns the server, which lives as long as this value.
    pub(super) fn raw(&self) -> *mut RawServer {
        self.raw
    }

    pub(super) fn library(&self) -> &'static Loaded {
        self.library
    }

    pub(super) fn requests(&self) -> &Arc<Requests> {
        &self.requests
    }

    /// Returns the number of requests that Triton has not completed and released.
    pub(crate) fn unfinished(&self) -> usize {
        self.requests.unfinished()
    }

    pub(crate) fn is_live(&self) -> Result<bool, CoreError> {
        let mut live = false;
        // SAFETY: the server is live until dropped, and the pointer is valid for writes.
        let error = unsafe { (self.library.api.is_live)(self.raw, &raw mut live) };
        self.library.check(error)?;
        Ok(live)
    }

    pub(crate) fn is_ready(&self) -> Result<bool, CoreError> {
        let mut ready = false;
        // SAFETY: as above.
        let error = unsafe { (self.library.api.is_ready)(self.raw, &raw mut ready) };
        self.library.check(error)?;
        Ok(ready)
    }

    pub(crate) fn model_is_ready(
        &self,
        model: &str,
        version: Option<i64>,
    ) -> Result<bool, CoreError> {
        let model = model_name(model)?;
        let (version, mut ready) = (version.unwrap_or(ANY_VERSION), false);
        let is_ready = self.library.api.model_is_ready;
        // SAFETY: as above, and the name ends with a zero byte.
        let error = unsafe { is_ready(self.raw, model.as_ptr(), version, &raw mut ready) };
        self.library.check(error)?;
        Ok(ready)
    }

    pub(crate) fn metadata(&self) -> Result<String, CoreError> {
        let mut message = ptr::null_mut();
        // SAFETY: as above.
        let error = unsafe { (self.library.api.metadata)(self.raw, &raw mut message) };
        self.library.check(error)?;
        self.json(message)
    }

    pub(crate) fn index(&self) -> Result<String, CoreError> {
        let mut message = ptr::null_mut();
        // SAFETY: as above.
        let error = unsafe { (self.library.api.model_index)(self.raw, 0, &raw mut message) };
        self.library.check(error)?;
        self.json(message)
    }

    pub(crate) fn model_metadata(
        &self,
        model: &str,
        version: Option<i64>,
    ) -> Result<String, CoreError> {
        self.model_message(self.library.api.model_metadata, model, version)
    }

    /// Returns the statistics of a model, or of all models if the name is empty.
    pub(crate) fn statistics(
        &self,
        model: &str,
        version: Option<i64>,
    ) -> Result<String, CoreError> {
        self.model_message(self.library.api.model_statistics, model, version)
    }

    fn model_message(
        &self,
        function: ModelMessage,
        model: &str,
        version: Option<i64>,
    ) -> Result<String, CoreError> {
        let model = model_name(model)?;
        let (version, mut message) = (version.unwrap_or(ANY_VERSION), ptr::null_mut());
        // SAFETY: as above, and the name ends with a zero byte.
        let error = unsafe { function(self.raw, model.as_ptr(), version, &raw mut message) };
        self.library.check(error)?;
        self.json(message)
    }

    pub(crate) fn config(&self, model: &str, version: Option<i64>) -> Result<String, CoreError> {
        let model = model_name(model)?;
        let (version, mut message) = (version.unwrap_or(ANY_VERSION), ptr::null_mut());
        let (name, messages) = (model.as_ptr(), &raw mut message);
        let config = self.library.api.model_config;
        // SAFETY: as above.
        let error = unsafe { config(self.raw, name, version, CONFIG_VERSION, messages) };
        self.library.check(error)?;
        self.json(message)
    }

    pub(crate) fn load(&self, model: &str, config: Option<&str>) -> Result<(), CoreError> {
        // The loaded model is replaced, which unloads it.
        match self.model_is_ready(model, None).unwrap_or(false) {
            true => self.requests.unloading(|| self.load_now(model, config)),
            false => self.load_now(model, config),
        }
    }

    fn load_now(&self, model: &str, config: Option<&str>) -> Result<(), CoreError> {
        let (library, model) = (self.library, model_name(model)?);
        let Some(config) = config else {
            // SAFETY: as above.
            return library.check(unsafe { (library.api.load_model)(self.raw, model.as_ptr()) });
        };
        let config = Parameter::new(library, config)?;
        let parameters = [config.raw.cast_const()];
        let (load, name) = (library.api.load_model_with, model.as_ptr());
        // SAFETY: as above, and the array has one parameter, which outlives the call.
        library.check(unsafe { load(self.raw, name, parameters.as_ptr(), 1) })
    }

    pub(crate) fn unload(&self, model: &str, with_dependents: bool) -> Result<(), CoreError> {
        let (library, model) = (self.library, model_name(model)?);
        let unload = match with_dependents {
            true => library.api.unload_dependents,
            false => library.api.unload_model,
        };
        // SAFETY: as above.
        let unload = || library.check(unsafe { unload(self.raw, model.as_ptr()) });
        self.requests.unloading(unload)
    }

    pub(crate) fn metrics(&self) -> Result<String, CoreError> {
        let (library, api) = (self.library, &self.library.api);
        let mut metrics = ptr::null_mut();
        // SAFETY: as above.
        library.check(unsafe { (api.server_metrics)(self.raw, &raw mut metrics) })?;
        let (mut base, mut size) = (ptr::null(), 0);
        let (bases, sizes) = (&raw mut base, &raw mut size);
        // SAFETY: the metrics are live until deleted below, and the pointers are valid for writes.
        let error = unsafe { (api.metrics_text)(metrics, METRICS_PROMETHEUS, bases, sizes) };
        let text = library.check(error).map(|()| {
            // SAFETY: the text has that size and lives as long as the metrics.
            unsafe { copy(base, size) }
        });
        // SAFETY: they are owned by the caller and not used any more.
        library.check(unsafe { (api.metrics_delete)(metrics) })?;
        text
    }

    /// Waits until all requests are completed and released, and unloads all models. The caller
    /// sends no further requests.
    ///
    /// Triton is stopped only then. It would wait for requests in whole seconds, and a second call
    /// of its function would not wait at all. For the models, it waits for the exit timeout of its
    /// options, whatever `wait` is.
    pub(crate) fn stop(&self, wait: Duration) -> Result<(), CoreError> {
        let begun = Instant::now();
        while self.unfinished() > 0 {
            if begun.elapsed() >= wait {
                let requests = self.unfinished();
                return Err(CoreError::Unfinished { requests });
            }
            thread::sleep(POLL_INTERVAL);
        }
        let library = self.library;
        let stop = || {
            thread::sleep(SETTLE_TIME);
            // SAFETY: as above.
            library.check(unsafe { (library.api.server_stop)(self.raw) })
        };
        self.stopped.lock().get_or_insert_with(stop).clone()
    }

    /// Copies the text of a message and deletes it.
    fn json(&self, message: *mut RawMessage) -> Result<String, CoreError> {
        let (library, api) = (self.library, &self.library.api);
        let (mut base, mut size) = (ptr::null(), 0);
        // SAFETY: the message is live until deleted below, and the pointers are valid for writes.
        let error = unsafe { (api.message_json)(message, &raw mut base, &raw mut size) };
        let text = library.check(error).map(|()| {
            // SAFETY: the text has that size and lives as long as the message.
            unsafe { copy(base, size) }
        });
        // SAFETY: it is owned by the caller and not used any more.
        library.check(unsafe { (api.message_delete)(message) })?;
        text
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Triton deletes models on threads of their own, which use the server. It does not wait for
        // them if it has not stopped in time.
        if let Err(error) = self.stop(DROP_TIMEOUT) {
            tracing::warn!(%error, "a server of Triton's core is not deleted, because it did not stop");
            return;
        }
        // SAFETY: no request, model or other value uses the server.
        let error = unsafe { (self.library.api.server_delete)(self.raw) };
        if let Err(error) = self.library.check(error) {
            tracing::warn!(%error, "cannot delete a server of Triton's core");
            return;
        }
        IN_USE.store(false, Ordering::Release);
    }
}

/// The parameter of a load that contains a model configuration.
struct Parameter {
    raw: *mut RawParameter,
    library: &'static Loaded,
}

impl Parameter {
    fn new(library: &'static Loaded, config: &str) -> Result<Self, CoreError> {
        let config = c_text(config, "the configuration of a model")?;
        let (name, value) = (c"config".as_ptr(), config.as_ptr().cast());
        // SAFETY: both texts end with a zero byte and are copied.
        let raw = unsafe { (library.api.parameter_new)(name, PARAMETER_STRING, value) };
        Ok(Self { raw, library })
    }
}

impl Drop for Parameter {
    fn drop(&mut self) {
        // SAFETY: the parameter belongs to this value and is not used any more.
        unsafe { (self.library.api.parameter_delete)(self.raw) };
    }
}

pub(super) fn model_name(name: &str) -> Result<CString, CoreError> {
    c_text(name, "the name of the model")
}

/// Copies a text of known size.
///
/// # Safety
///
/// `base` points to `size` bytes, or `size` is 0.
unsafe fn copy(base: *const c_char, size: usize) -> String {
    if size == 0 {
        return String::new();
    }
    // SAFETY: the caller guarantees it.
    let bytes = unsafe { slice::from_raw_parts(base.cast::<u8>(), size) };
    String::from_utf8_lossy(bytes).into_owned()
}
