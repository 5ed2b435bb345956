use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::bound::{Function, Model};
use crate::engine::Choice;
use crate::model::ModelSpec;
use crate::registry::{Registration, Registry};

use super::apart::wait;
use super::caretaker::{Caretaker, Phase, Plan};
use super::order::Order;
use super::started::Started;
use super::{Addresses, Builder, Options, ServerError, descriptors};

/// Who says so when a server is stopped by a call.
const CALL: &str = "a call of `stop`";

/// A server with its models: bound, started and stopped by the program that has it. A process may have several.
///
/// Its methods block, and may be called from anywhere, `async` code too. Dropping it stops it.
///
/// # Examples
///
/// ```
/// use ndarray::Ix2;
/// use pytriton_runtime::bound::{Function, Input, Model, Output};
/// use pytriton_runtime::engine::EngineChoice;
/// use pytriton_runtime::server::Triton;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let triton = Triton::builder().engine(EngineChoice::Embedded).free_ports().build()?;
/// let double = Model::new("Double")
///     .input(Input::new::<f32>("x", [-1]))
///     .output(Output::new::<f32>("y", [-1]));
/// triton.bind(double, Function::batch(|inputs| Ok(&inputs.array::<f32, Ix2>("x")? * 2.0)))?;
/// let addresses = triton.run()?;
/// println!("{:?}", addresses.http);
/// triton.stop()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Triton {
    pub(super) options: Options,
    /// Held as long as a model comes or goes, or the engine starts: one after the other.
    models: Mutex<Registry>,
    /// Held for moments only.
    caretaker: Mutex<Option<Arc<Caretaker>>>,
}

impl Triton {
    /// A server with the options of the environment, of which more can be said.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A server with these options and models.
    pub fn with(options: Options, models: Registry) -> Self {
        let models = options.served(models);
        Self {
            options,
            models: Mutex::new(models),
            caretaker: Mutex::default(),
        }
    }

    /// Serves a model: from now on where the server runs, otherwise from its start on.
    ///
    /// # Errors
    ///
    /// [`ServerError::Model`] with every mistake in the model, [`ServerError::Registry`] when there is one of its name and
    /// version already, [`ServerError::Load`] when an instance cannot be made, [`ServerError::Fixed`] when tritonserver serves
    /// already. The other models are as they were then.
    pub fn bind(&self, model: Model, function: impl Into<Function>) -> Result<(), ServerError> {
        let registration = model.registration(&function.into())?;
        let mut models = lock(&self.models);
        self.add(&mut models, registration)
    }

    /// Serves all models that `#[pytriton::model]` wrote into this binary.
    ///
    /// # Errors
    ///
    /// As [`bind`](Self::bind), for the first model that cannot be served; those before it are.
    pub fn bind_registered(&self) -> Result<(), ServerError> {
        let registered = Registry::collect()?;
        let mut models = lock(&self.models);
        for model in registered.iter() {
            models.check_new(model)?;
        }
        let mut registrations = registered.registrations();
        registrations.try_for_each(|model| self.add(&mut models, model.clone()))
    }

    /// Serves a model no longer, once the requests that it has accepted are answered.
    ///
    /// # Errors
    ///
    /// [`ServerError::NotBound`] when there is none, [`ServerError::Unbind`] when the exit timeout was not enough for its
    /// requests, [`ServerError::Fixed`] when tritonserver serves it.
    pub fn unbind(&self, name: &str, version: u32) -> Result<(), ServerError> {
        let mut models = lock(&self.models);
        let named = |model: &&Arc<ModelSpec>| *model.name == *name && model.version == version;
        let Some(model) = models.iter().find(named).cloned() else {
            return Err(ServerError::NotBound {
                model: name.into(),
                version,
            });
        };
        let caretaker = self.serving();
        let done = match caretaker.as_deref().and_then(Caretaker::started) {
            Some(started) => started.unload(&model, self.options.exit_timeout_secs),
            None => Ok(()),
        };
        if !matches!(done, Err(ServerError::Fixed { .. })) {
            models.remove(name, version);
        }
        done
    }

    /// The models that are bound.
    pub fn models(&self) -> Vec<Arc<ModelSpec>> {
        lock(&self.models).iter().cloned().collect()
    }

    /// Starts to serve in the background, and returns where when all models are ready.
    ///
    /// # Errors
    ///
    /// A [`ServerError`] that names the option, the model or the address; [`ServerError::Running`] when it serves already.
    pub fn run(&self) -> Result<Addresses, ServerError> {
        self.start(true).map(|(_, addresses)| addresses)
    }

    /// Stops: accepted requests are answered, new ones refused, as on SIGTERM. What does not run is left alone.
    ///
    /// # Errors
    ///
    /// [`ServerError::Drain`] and its like when the exit timeout was not enough; why the server had ended before, if it had.
    pub fn stop(&self) -> Result<(), ServerError> {
        let Some(caretaker) = lock(&self.caretaker).clone() else {
            return Ok(());
        };
        caretaker.order(Order::Stop(CALL));
        let done = caretaker.join();
        self.forget(&caretaker);
        done
    }

    /// Whether it serves, and every model has an instance that takes requests.
    pub fn is_alive(&self) -> bool {
        let caretaker = self.serving();
        let started = caretaker.as_deref().and_then(Caretaker::started);
        started.is_some_and(|started| started.engine.ready())
    }

    /// Where it can be reached; `None` when it does not serve.
    pub fn addresses(&self) -> Option<Addresses> {
        Some(self.serving()?.started()?.addresses)
    }

    /// Starts an engine and waits until it serves.
    pub(super) fn start(&self, ports: bool) -> Result<(Arc<Caretaker>, Addresses), ServerError> {
        // Nothing else can be bound until it serves.
        let models = lock(&self.models);
        let caretaker = self.begin(&models, self.choose(ports)?, ports)?;
        let mut phase = caretaker.phase();
        wait(async move {
            phase
                .wait_for(|phase| *phase != Phase::Starting)
                .await
                .is_ok()
        })?;
        match caretaker.started() {
            Some(&Started { addresses, .. }) => Ok((caretaker, addresses)),
            None => {
                self.forget(&caretaker);
                caretaker.join()?;
                Err(ServerError::NotReady { signal: CALL })
            }
        }
    }

    /// The engine that is to serve, where none does yet.
    pub(super) fn choose(&self, ports: bool) -> Result<Choice, ServerError> {
        if self.serving().is_some() {
            return Err(ServerError::Running);
        }
        let choice = match ports {
            true => Choice::new(&self.options.triton)?,
            false => Choice::without_ports(&self.options.triton)?,
        };
        choice.log();
        Ok(choice)
    }

    /// Begins to start an engine.
    pub(super) fn begin(
        &self,
        models: &Registry,
        choice: Choice,
        ports: bool,
    ) -> Result<Arc<Caretaker>, ServerError> {
        descriptors::raise_limit();
        let mut current = lock(&self.caretaker);
        let caretaker = Caretaker::spawn(Plan {
            registry: models.clone(),
            options: self.options.clone(),
            choice,
            ports,
        })?;
        *current = Some(Arc::clone(&caretaker));
        Ok(caretaker)
    }

    pub(super) fn lock_models(&self) -> MutexGuard<'_, Registry> {
        lock(&self.models)
    }

    /// Who looks after the engine, if there is one.
    pub(super) fn serving(&self) -> Option<Arc<Caretaker>> {
        let caretaker = lock(&self.caretaker).clone();
        caretaker.filter(|caretaker| !caretaker.ended())
    }

    pub(super) fn forget(&self, gone: &Arc<Caretaker>) {
        let mut current = lock(&self.caretaker);
        if current
            .as_ref()
            .is_some_and(|caretaker| Arc::ptr_eq(caretaker, gone))
        {
            *current = None;
        }
    }

    fn add(&self, models: &mut Registry, model: Registration) -> Result<(), ServerError> {
        let model = match self.options.allow_openai {
            true => model,
            false => model.without_openai(),
        };
        models.check_new(&model.spec)?;
        let caretaker = self.serving();
        if let Some(started) = caretaker.as_deref().and_then(Caretaker::started) {
            started.load(&model)?;
        }
        Ok(models.insert(model)?)
    }
}

impl Drop for Triton {
    fn drop(&mut self) {
        if let Err(error) = self.stop() {
            tracing::warn!(%error, "the server did not stop well");
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What stands under these locks is changed in one piece.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
