use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::join_all;

use crate::engine::ControlMode;
use crate::registry::Registration;
use crate::text::excerpt;

use super::catalog::{IndexEntry, State};
use super::{ControlError, LoadError, Model, ModelSet};

/// How often models have been unloaded.
static UNLOADINGS: AtomicU64 = AtomicU64::new(0);

/// What a client asks of one model.
impl ModelSet {
    /// Loads all versions of a model anew. Those that serve go on until the new ones do, and answer what they have accepted;
    /// where one version cannot be loaded, nothing changes for them.
    ///
    /// `change` makes of each version what it is to be.
    ///
    /// # Errors
    ///
    /// [`ControlError`].
    ///
    /// # Cancel safety
    ///
    /// What has begun is done although nobody waits for it.
    pub async fn load_named(
        self: &Arc<Self>,
        name: &str,
        change: impl Fn(Registration, &[u32]) -> Result<Registration, String> + Send + Sync + 'static,
    ) -> Result<(), ControlError> {
        self.check_explicit()?;
        let Some(turn) = self.catalog().turn(name) else {
            tracing::error!(
                "failed to poll model '{name}': model not found in any model repository."
            );
            return Err(ControlError::Unknown {
                model: excerpt(name),
            });
        };
        let (set, name) = (Arc::clone(self), Arc::<str>::from(name));
        self.finished(async move {
            let _turn = turn.lock_owned().await;
            set.replace(&name, change).await
        })
        .await
    }

    /// Takes a model out, with all of its versions; what they have accepted is answered, and then their instances end.
    ///
    /// # Errors
    ///
    /// [`ControlError`]; a model that is not there is none.
    ///
    /// # Cancel safety
    ///
    /// What has begun is done although nobody waits for it.
    pub async fn unload_named(self: &Arc<Self>, name: &str) -> Result<(), ControlError> {
        self.check_explicit()?;
        let Some(turn) = self.catalog().turn(name) else {
            return Ok(());
        };
        let (set, name) = (Arc::clone(self), Arc::<str>::from(name));
        self.finished(async move {
            let _turn = turn.lock_owned().await;
            set.take_out(&name);
            Ok(())
        })
        .await
    }

    /// All models by name and version with their states, or those that are ready.
    pub fn index(&self, only_ready: bool) -> Vec<IndexEntry> {
        let catalog = self.catalog();
        catalog.index(only_ready, |name, version| self.serves(name, version))
    }

    fn check_explicit(&self) -> Result<(), ControlError> {
        if self.is_stopping() {
            return Err(ControlError::Stopping);
        }
        match self.control.model_control_mode {
            ControlMode::Explicit => Ok(()),
            ControlMode::None | ControlMode::Poll => Err(ControlError::NotExplicit),
        }
    }

    /// Waits for something that is done whether or not anybody waits for it; a server that stops does not.
    async fn finished(
        &self,
        work: impl Future<Output = Result<(), ControlError>> + Send + 'static,
    ) -> Result<(), ControlError> {
        let done = tokio::select! {
            biased;
            done = tokio::spawn(work) => done.ok(),
            () = self.stopping() => None,
        };
        // Otherwise the runtime ends, or what was done is known to nobody.
        done.unwrap_or(Err(ControlError::Stopping))
    }

    async fn replace(
        self: &Arc<Self>,
        name: &str,
        change: impl Fn(Registration, &[u32]) -> Result<Registration, String>,
    ) -> Result<(), ControlError> {
        let registrations = self.catalog().registrations(name);
        let versions: Vec<u32> = registrations
            .iter()
            .map(|model| model.spec.version)
            .collect();
        let registrations = registrations.into_iter();
        let registrations: Result<Vec<_>, _> = registrations
            .map(|model| change(model, &versions))
            .collect();
        let registrations = registrations.map_err(|reason| {
            tracing::error!(
                model = name,
                reason,
                "the model is not loaded as it is asked for"
            );
            ControlError::Config {
                model: name.into(),
                reason,
            }
        })?;
        for registration in &registrations {
            self.become_loading(name, registration.spec.version);
        }
        let started = registrations.iter().map(|model| self.started(model));
        let started = join_all(started).await;
        if started.iter().all(Result::is_ok) {
            let models = started.into_iter().flatten();
            return self.put_all(&registrations, models.collect());
        }
        let mut reasons = String::new();
        for (registration, started) in registrations.iter().zip(&started) {
            let version = registration.spec.version;
            let state = match started {
                Ok(_) => State::unloaded(),
                Err(error) => {
                    let reason = reason(error);
                    reasons += &format!("version {version} is at UNAVAILABLE state: {reason};");
                    State::failed(&reason)
                }
            };
            self.fail(name, version, state);
        }
        Err(ControlError::Failed {
            model: name.into(),
            reasons,
        })
    }

    fn become_loading(&self, name: &str, version: u32) {
        if let Some(state) = self.catalog().state(name, version)
            && *state != State::Serving
        {
            *state = State::Loading;
        }
    }

    /// Notes that a version could not be loaded; one that serves goes on.
    pub(super) fn fail(&self, name: &str, version: u32, failed: State) {
        if let Some(state) = self.catalog().state(name, version)
            && *state != State::Serving
        {
            *state = failed;
        }
    }

    /// Lets models serve at one stroke, in the place of those that did.
    fn put_all(
        &self,
        registrations: &[Registration],
        models: Vec<Model>,
    ) -> Result<(), ControlError> {
        let mut catalog = self.catalog();
        let replaced = self.change(|table| {
            if self.is_stopping() {
                return Err(ControlError::Stopping);
            }
            let mut replaced = Vec::new();
            for (registration, model) in registrations.iter().zip(models) {
                let spec = &registration.spec;
                // It may have been unbound meanwhile.
                if catalog.state(&spec.name, spec.version).is_none() {
                    continue;
                }
                catalog.insert(registration, State::Serving);
                let versions = table.entry(Arc::clone(&spec.name)).or_default();
                replaced.extend(versions.insert(spec.version, Arc::new(model)));
            }
            Ok(replaced)
        })?;
        drop(catalog);
        replaced.iter().for_each(|model| self.let_go(model));
        Ok(())
    }

    fn take_out(self: &Arc<Self>, name: &str) {
        let mut catalog = self.catalog();
        let models = self.change(|table| table.remove(name)).unwrap_or_default();
        let unloading = UNLOADINGS.fetch_add(1, Ordering::Relaxed);
        for &version in models.keys() {
            if let Some(state) = catalog.state(name, version) {
                *state = State::Unloading(unloading);
            }
        }
        drop(catalog);
        for (version, model) in models {
            let (set, name) = (Arc::downgrade(self), Arc::clone(&model.spec().name));
            let ended = model.ended();
            self.let_go(&model);
            drop(model);
            tokio::spawn(async move {
                ended.await;
                if let Some(set) = set.upgrade() {
                    set.catalog().unloaded(&name, version, unloading);
                }
            });
        }
    }
}

/// What Triton calls the error of a model that cannot be loaded.
pub(super) fn reason(error: &LoadError) -> String {
    format!("Internal: {}", error.source)
}
