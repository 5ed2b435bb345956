use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};

use crate::model::ModelSpec;
use crate::model_call::Call;
use crate::registry::{Registration, Registry, callees_first};
use crate::runtime_models::{Function, Model};
use crate::shared_state::SharedStates;
use crate::typed;

use super::blocking::{blocks_a_runtime, wait};
use super::choice::{choose, choose_without_ports};
use super::chosen_engine::{ChosenEngine, Plan};
use super::current_supervisor::{CALL, CurrentSupervisor};
use super::embedded::Extensions;
use super::supervisor::{Phase, Running, Supervisor};
use super::{Addresses, Options, ServerError, descriptors};

/// A server and its models, which a program binds, starts and stops. A process may have several.
///
/// All methods block. They may be called from any thread, including `async` code. Dropping the
/// value stops the server. On a current-thread runtime, whose tasks wait meanwhile, the stop may
/// end in the background.
///
/// # Examples
///
/// ```
/// use ndarray::Ix2;
/// use pytriton_runtime::runtime_models::{Function, Input, Model, Output, PerBatch};
/// use pytriton_runtime::engine::EngineChoice;
/// use pytriton_runtime::server::Triton;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let triton = Triton::builder().engine(EngineChoice::Embedded).free_ports().build()?;
/// let double = Model::new("Double")
///     .input(Input::new::<f32>("x", [-1]))
///     .output(Output::new::<f32>("y", [-1]));
/// triton.bind(double, Function::new(PerBatch, |call| Ok(&call.array::<f32, Ix2>("x")? * 2.0)))?;
/// let addresses = triton.run()?;
/// println!("{:?}", addresses.http());
/// triton.stop()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Triton {
    pub(super) options: Options,
    pub(super) extensions: Extensions,
    /// Whether the clock of the engine is paused.
    #[cfg(feature = "test-util")]
    pub(super) paused: bool,
    /// The states that functions can take.
    states: Arc<SharedStates>,
    /// Held while a model is added or removed and while the engine starts, so that these are
    /// serialized. No panic can leave it inconsistent.
    models: Mutex<Registry>,
    supervisor: CurrentSupervisor,
}

impl Triton {
    /// Creates a server with these options and models.
    pub fn with(options: Options, models: Registry) -> Self {
        let models = options.served(models);
        Self {
            options,
            extensions: Extensions::default(),
            #[cfg(feature = "test-util")]
            paused: false,
            states: Arc::default(),
            models: Mutex::new(models),
            supervisor: CurrentSupervisor::default(),
        }
    }

    /// Adds parts of a program.
    pub(super) fn extended(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// Sets the states that functions can take.
    pub(super) fn sharing(mut self, states: Arc<SharedStates>) -> Self {
        let models = self.models.get_mut();
        *models = models.with_states(&states);
        self.states = states;
        self
    }

    /// Sets whether the clock of the engine is paused.
    #[cfg(feature = "test-util")]
    pub(super) fn paused(mut self, paused: bool) -> Self {
        self.paused = paused;
        self
    }

    /// Binds a model. It is served at once if the server is running, or else from its start.
    ///
    /// # Errors
    ///
    /// Returns [`ServerError::Model`] with every mistake in the model, [`ServerError::Registry`] if
    /// its name and version are already used, `ServerError::Embedded` if an instance cannot be
    /// created, or [`ServerError::Fixed`] if tritonserver is serving. The other models do not
    /// change.
    pub fn bind(&self, model: Model, function: impl Into<Function>) -> Result<(), ServerError> {
        let overrides = &self.options.overrides.model;
        let model = model.overridden(overrides)?;
        let registration = model.registration(&function.into())?;
        let mut models = self.models.lock();
        self.add(&mut models, registration)
    }

    /// Binds all models that `#[pytriton::model]` registers in this binary.
    ///
    /// # Errors
    ///
    /// As [`bind`](Self::bind), for the first model that cannot be served. Earlier models stay
    /// bound.
    pub fn bind_registered(&self) -> Result<(), ServerError> {
        let registered = Registry::collect_with(&self.options.overrides.model)?;
        let mut models = self.models.lock();
        for model in registered.iter() {
            models.check_new(model)?;
        }
        let registrations = registered.registrations().collect();
        let registrations = callees_first(registrations, |model| &model.spec);
        let mut registrations = registrations.into_iter().flatten();
        registrations.try_for_each(|model| self.add(&mut models, model.clone()))
    }

    /// Removes a model after the requests that it has accepted are completed.
    ///
    /// # Errors
    ///
    /// Returns [`ServerError::NotBound`] if the model does not exist, [`ServerError::Unbind`] if
    /// the exit timeout was too short for its requests, or [`ServerError::Fixed`] if tritonserver
    /// serves it.
    pub fn unbind(&self, name: &str, version: u32) -> Result<(), ServerError> {
        let mut models = self.models.lock();
        let named = |model: &&Arc<ModelSpec>| *model.name == *name && model.version == version;
        let Some(model) = models.iter().find(named).cloned() else {
            return Err(ServerError::NotBound {
                model: name.into(),
                version,
            });
        };
        let supervisor = self.serving();
        let done = match supervisor.as_deref().and_then(Supervisor::started) {
            Some(started) => started
                .engine
                .unload(&model, self.options.exit_timeout_secs),
            None => Ok(()),
        };
        if !matches!(done, Err(ServerError::Fixed { .. })) {
            models.remove(name, version);
        }
        done
    }

    /// Returns the models that are bound.
    pub fn models(&self) -> Vec<Arc<ModelSpec>> {
        self.models.lock().iter().cloned().collect()
    }

    /// Starts the server in the background. Returns its addresses when all models are ready.
    ///
    /// # Errors
    ///
    /// Returns a [`ServerError`] that names the option, the model or the address, or
    /// [`ServerError::Running`] if the server is running.
    pub fn run(&self) -> Result<Addresses, ServerError> {
        // No model can be bound until the server serves.
        let models = self.models.lock();
        self.start(&models, true).map(|(_, addresses)| addresses)
    }

    /// Stops the server, as on SIGTERM: accepted requests are completed and new ones refused. Does
    /// nothing if the server is not running.
    ///
    /// # Errors
    ///
    /// Returns [`ServerError::Drain`] or a similar error if the exit timeout was too short. If the
    /// server had ended before, returns the reason.
    pub fn stop(&self) -> Result<(), ServerError> {
        self.supervisor.stop()
    }

    /// Returns whether the server is running and every model has an available instance.
    pub fn is_alive(&self) -> bool {
        let supervisor = self.serving();
        let started = supervisor.as_deref().and_then(Supervisor::started);
        started.is_some_and(|started| started.engine.ready())
    }

    /// Returns the addresses of the server, or `None` if it is not running.
    pub fn addresses(&self) -> Option<Addresses> {
        Some(self.serving()?.started()?.addresses)
    }

    /// Returns a handle to call a model from this program without a port. Returns `None` if the
    /// embedded engine is not running.
    pub fn call<M: typed::Model>(&self) -> Option<Call<M>> {
        let supervisor = self.serving()?;
        let models = supervisor.started()?.engine.local_models()?;
        Some(Call::new(models))
    }

    /// Starts an engine with the locked models, and waits until it serves.
    pub(super) fn start(
        &self,
        models: &Registry,
        ports: bool,
    ) -> Result<(Arc<Supervisor>, Addresses), ServerError> {
        let supervisor = self.begin(models, self.choose(ports)?, ports)?;
        let mut phase = supervisor.phase();
        wait(async move {
            phase
                .wait_for(|phase| *phase != Phase::Starting)
                .await
                .is_ok()
        })?;
        match supervisor.started() {
            Some(&Running { addresses, .. }) => Ok((supervisor, addresses)),
            None => {
                self.forget(&supervisor);
                supervisor.join()?;
                Err(ServerError::NotReady { signal: CALL })
            }
        }
    }

    /// Selects the engine. Fails if one is running.
    pub(super) fn choose(&self, ports: bool) -> Result<Box<dyn ChosenEngine>, ServerError> {
        if self.serving().is_some() {
            return Err(ServerError::Running);
        }
        let engine = match ports {
            true => choose(&self.options.triton, &self.extensions)?,
            false => choose_without_ports(&self.options.triton)?,
        };
        engine.log();
        Ok(engine)
    }

    /// Begins to start an engine.
    pub(super) fn begin(
        &self,
        models: &Registry,
        engine: Box<dyn ChosenEngine>,
        ports: bool,
    ) -> Result<Arc<Supervisor>, ServerError> {
        models.check_overrides(&self.options.overrides.model)?;
        descriptors::raise_limit();
        let plan = Plan {
            registry: models.clone(),
            options: self.options.clone(),
            reason: engine.reason().short(),
            ports,
            #[cfg(feature = "test-util")]
            paused: self.paused,
            extensions: self.extensions.clone(),
        };
        self.supervisor.spawn(move |shutdown, progress| {
            tracing::debug!(ports = plan.ports, "starting");
            engine.serve(&plan, shutdown, progress)
        })
    }

    pub(super) fn lock_models(&self) -> MutexGuard<'_, Registry> {
        self.models.lock()
    }

    /// Returns the supervisor of the running engine.
    pub(super) fn serving(&self) -> Option<Arc<Supervisor>> {
        self.supervisor.serving()
    }

    pub(super) fn forget(&self, gone: &Arc<Supervisor>) {
        self.supervisor.forget(gone);
    }

    fn add(&self, models: &mut Registry, model: Registration) -> Result<(), ServerError> {
        let model = match self.options.allow_openai {
            true => model,
            false => model.without_openai(),
        };
        let model = model.with_states(&self.states);
        models.check_new(&model.spec)?;
        let supervisor = self.serving();
        if supervisor.is_some() {
            models.check_addition(&model)?;
        }
        if let Some(started) = supervisor.as_deref().and_then(Supervisor::started) {
            started.engine.load(&model)?;
        }
        Ok(models.insert(model)?)
    }
}

impl Drop for Triton {
    fn drop(&mut self) {
        // A client on this thread cannot close its connection while the thread waits for that.
        let done = match blocks_a_runtime() {
            true => self.supervisor.begin_to_stop(),
            false => self.stop(),
        };
        if let Err(error) = done {
            tracing::warn!(%error, "the server did not stop cleanly");
        }
    }
}
