use std::any::Any;
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pytriton_runtime::engine::EngineChoice;
use pytriton_runtime::server::{Local, Options, ServerError, Triton};

/// The models as loaded in this process, with their state.
///
/// Each call keeps the engine alive. A replaced engine ends with its last call.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) triton: Triton,
    pub(crate) local: Local,
    process: u32,
    /// The exporter of spans.
    _traces: Option<Box<dyn Any + Send + Sync>>,
}

/// The engine that new calls use. Must not be locked while holding the GIL.
static CURRENT: Mutex<Option<Arc<Engine>>> = Mutex::new(None);

/// Returns the engine; the first call loads the models.
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

/// Replaces the engine by one that serves on ports. The old engine is dropped before the new one
/// loads.
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

/// Stops a serving engine; the next call loads the models again.
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
    /// Releases the GIL while the engine completes its accepted requests.
    fn drop(&mut self) {
        let stop = || {
            // Stopping an engine twice, or one that never served, has no effect.
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
        // A forked child does not have the threads of its parent and would wait for them forever.
        if let Some(parent) = current.take() {
            Box::leak(Box::new(parent));
        }
    }
    current
}
