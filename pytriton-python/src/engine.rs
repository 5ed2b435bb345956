use std::any::Any;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pytriton_runtime::engine::EngineChoice;
use pytriton_runtime::server::{Local, Options, ServerError, Triton};

/// The models, with their state, as they are loaded in this process.
///
/// Who calls one keeps it; it ends when nobody does and another has taken its place.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) triton: Triton,
    pub(crate) local: Local,
    process: u32,
    /// What sends spans away.
    _traces: Option<Box<dyn Any + Send + Sync>>,
}

/// Those that calls are for. Only for threads that do not hold Python's lock.
static CURRENT: Mutex<Option<Arc<Engine>>> = Mutex::new(None);

/// The models, which the first call loads.
pub(crate) fn engine() -> Result<Arc<Engine>, ServerError> {
    let mut current = current();
    if let Some(engine) = &*current
        && engine.triton.addresses().is_some()
    {
        return Ok(Arc::clone(engine));
    }
    let engine = Engine::new(triton(Vec::new())?, None)?;
    Ok(Arc::clone(current.insert(Arc::new(engine))))
}

/// The models on ports, in the place of those without; what is loaded goes before what comes is loaded.
pub(crate) fn serve(arguments: Vec<String>) -> Result<Arc<Engine>, ServerError> {
    let mut current = current();
    if let Some(engine) = &*current
        && engine.has_ports()
    {
        return Err(ServerError::Running);
    }
    drop(current.take());
    let triton = triton(arguments)?;
    let traces = triton.log()?;
    triton.run()?;
    let engine = Engine::new(triton, Some(traces))?;
    Ok(Arc::clone(current.insert(Arc::new(engine))))
}

/// Stops one that serves; the next call loads the models again.
pub(crate) fn stop(engine: &Arc<Engine>) -> Result<(), ServerError> {
    let mut current = current();
    if current
        .as_ref()
        .is_some_and(|other| Arc::ptr_eq(other, engine))
    {
        *current = None;
    }
    drop(current);
    engine.triton.stop()
}

impl Engine {
    fn new(
        triton: Triton,
        traces: Option<Box<dyn Any + Send + Sync>>,
    ) -> Result<Self, ServerError> {
        Ok(Self {
            local: triton.local()?,
            triton,
            process: process::id(),
            _traces: traces,
        })
    }

    fn has_ports(&self) -> bool {
        let addresses = self.triton.addresses().unwrap_or_default();
        addresses.urls().next().is_some()
    }
}

impl Drop for Engine {
    /// Ends it without Python's lock: what it has accepted may take its time, and other threads of Python's go on.
    fn drop(&mut self) {
        let stop = || {
            // What has stopped, or never served, is left alone.
            let _ = self.triton.stop();
        };
        Python::try_attach(|py| py.detach(stop));
    }
}

fn triton(arguments: Vec<String>) -> Result<Triton, ServerError> {
    let embedded = |options: &mut Options| options.triton.engine = EngineChoice::Embedded;
    let builder = Triton::builder().arguments(arguments).options(embedded);
    let triton = builder.build()?;
    triton.bind_registered()?;
    Ok(triton)
}

fn current() -> MutexGuard<'static, Option<Arc<Engine>>> {
    let mut current = CURRENT.lock().unwrap_or_else(PoisonError::into_inner);
    if current
        .as_ref()
        .is_some_and(|engine| engine.process != process::id())
    {
        // The threads of a parent are not in its child, which would wait for them for ever.
        if let Some(parent) = current.take() {
            Box::leak(Box::new(parent));
        }
    }
    current
}
