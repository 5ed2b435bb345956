use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::join_all;
use pytriton_core::model::VersionPolicy;
use pytriton_core::offload::by_weight;
use pytriton_core::registry::Registration;
use pytriton_core::text::excerpt;
use pytriton_engine::options::ControlMode;

use super::repository_index::{Found, RepositoryIndex};
use super::state::{IndexEntry, State};
use super::transition::Transition;
use super::{ControlError, Model, ModelRepository};

/// Operations that clients request.
impl ModelRepository {
    /// Loads the versions of a model that its policy selects. The current versions serve until the
    /// new ones are ready, and complete the requests that they have accepted. If one version cannot
    /// be loaded, nothing changes. Loads of a model run one after another. An unload cancels those
    /// that were requested before it.
    ///
    /// `change` is applied to each version. It is work on `bytes` bytes, and runs on an offload
    /// thread if these are many.
    ///
    /// # Errors
    ///
    /// Returns a [`ControlError`].
    ///
    /// # Cancel safety
    ///
    /// A load that has begun continues if the future is dropped.
    pub async fn load_named(
        self: &Arc<Self>,
        name: &str,
        bytes: usize,
        change: impl Fn(Registration, Option<&VersionPolicy>) -> Result<Registration, String>
        + Send
        + Sync
        + 'static,
    ) -> Result<(), ControlError> {
        self.check_explicit()?;
        let Some(mut asked) = self.catalog().ask(name) else {
            tracing::error!(
                "failed to poll model '{name}': model not found in any model repository."
            );
            return Err(ControlError::Unknown {
                model: excerpt(name),
            });
        };
        let (set, name) = (Arc::clone(self), Arc::<str>::from(name));
        self.finished(async move {
            let turn = asked.turn();
            let loaded = async {
                let _turn = turn.await;
                set.replace(&name, bytes, change).await
            };
            // A load function that never returns must not block later loads.
            tokio::select! {
                biased;
                () = asked.cancelled() => Err(unloaded(&name)),
                done = loaded => done,
            }
        })
        .await
    }

    /// Removes a model and all of its versions at once. Accepted requests are completed, and then
    /// the instances end. A running load is cancelled.
    ///
    /// # Errors
    ///
    /// Returns a [`ControlError`]. A model that is not loaded is not an error.
    pub fn unload_named(self: &Arc<Self>, name: &str) -> Result<(), ControlError> {
        self.check_explicit()?;
        self.take_out(name);
        Ok(())
    }

    /// Returns the repository index: all versions, or only those that are ready.
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

    /// Waits for work that continues if the caller is dropped. Does not wait while the server is
    /// stopping.
    async fn finished(
        &self,
        work: impl Future<Output = Result<(), ControlError>> + Send + 'static,
    ) -> Result<(), ControlError> {
        let done = tokio::select! {
            biased;
            done = tokio::spawn(work) => done.ok(),
            () = self.stopping() => None,
        };
        // A missing result means that the runtime is shutting down or the task panicked.
        done.unwrap_or(Err(ControlError::Stopping))
    }

    async fn replace(
        self: &Arc<Self>,
        name: &Arc<str>,
        bytes: usize,
        change: impl Fn(Registration, Option<&VersionPolicy>) -> Result<Registration, String>
        + Send
        + 'static,
    ) -> Result<(), ControlError> {
        let mut found = self.catalog().find(name);
        let bound = VersionPolicy::among(found.iter().map(|found| &*found.registration.spec));
        let current: Vec<_> = found
            .iter()
            .map(|found| found.registration.clone())
            .collect();
        let policy = bound.clone();
        let changed = move || {
            let changed = current.into_iter();
            let changed = changed.map(|registration| change(registration, policy.as_ref()));
            changed.collect::<Result<Vec<_>, _>>()
        };
        let mut registrations = by_weight(bytes, changed).await.map_err(|reason| {
            tracing::error!(
                model = &**name,
                reason,
                "the requested configuration of the model was refused"
            );
            ControlError::Config {
                model: Arc::clone(name),
                reason,
            }
        })?;
        let policy = VersionPolicy::among(registrations.iter().map(|model| &*model.spec));
        let versions: Vec<u32> = found
            .iter()
            .map(|found| found.registration.spec.version)
            .collect();
        let taken = match &policy {
            Some(policy) => policy.of(&versions),
            None => versions,
        };
        if taken.is_empty() && !found.is_empty() {
            return Err(ControlError::NoVersion {
                model: Arc::clone(name),
            });
        }
        found.retain(|found| taken.contains(&found.registration.spec.version));
        registrations.retain(|model| taken.contains(&model.spec.version));
        let mut callees = registrations.iter().flat_map(|model| &model.spec.callees);
        let missing = callees.find(|callee| self.versions(&callee.name).is_empty());
        if let Some(callee) = missing {
            return Err(ControlError::Callee {
                model: Arc::clone(name),
                callee: callee.name.clone(),
            });
        }
        for found in &found {
            self.unless_serving(found, State::Loading);
        }
        let started = registrations.iter().map(|model| self.started(model));
        let started = join_all(started).await;
        if started.iter().all(Result::is_ok) {
            let models = started.into_iter().flatten();
            let changed_policy = policy.filter(|policy| Some(policy) != bound.as_ref());
            return self.serve(name, found, models, changed_policy);
        }
        let mut reasons = String::new();
        for (found, started) in found.iter().zip(&started) {
            let version = found.registration.spec.version;
            let state = match started {
                Ok(_) => State::unloaded(),
                Err(error) => {
                    let reason = error.reason();
                    reasons += &format!("version {version} is at UNAVAILABLE state: {reason};");
                    State::failed(&reason)
                }
            };
            self.unless_serving(found, state);
        }
        Err(ControlError::Failed {
            model: Arc::clone(name),
            reasons,
        })
    }

    /// Sets the state of a version that is not serving.
    fn unless_serving(&self, found: &Found, next: State) {
        if let Some(state) = self.catalog().found(found)
            && *state != State::Serving
        {
            *state = next;
        }
    }

    /// Replaces the serving versions of a model atomically.
    fn serve(
        self: &Arc<Self>,
        name: &Arc<str>,
        found: Vec<Found>,
        models: impl Iterator<Item = Model>,
        changed_policy: Option<VersionPolicy>,
    ) -> Result<(), ControlError> {
        let mut catalog = self.catalog();
        let settled = self.change(|table| {
            if self.is_stopping() {
                return Err(ControlError::Stopping);
            }
            if found.iter().all(|found| catalog.found(found).is_none()) {
                return Err(unloaded(name));
            }
            catalog.set_policy(name, changed_policy);
            let loaded = found.into_iter().zip(models);
            Ok(Transition::new(&mut catalog, table, name, loaded))
        })?;
        self.retire(&mut catalog, settled.removed);
        Ok(())
    }

    fn take_out(self: &Arc<Self>, name: &str) {
        let mut catalog = self.catalog();
        catalog.outdate(name);
        let models = self.change(|table| table.remove(name));
        self.retire(&mut catalog, models.unwrap_or_default());
    }

    /// Records that versions are unloading. A task waits until they have completed their accepted
    /// requests.
    pub(super) fn retire(
        self: &Arc<Self>,
        catalog: &mut RepositoryIndex,
        models: BTreeMap<u32, Arc<Model>>,
    ) {
        for (version, model) in models {
            let (set, name) = (Arc::downgrade(self), Arc::clone(&model.spec().name));
            let unloading = catalog.unloading(&name, version);
            let ended = model.scheduler.ended();
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

/// Returns the error for a load that an unload has cancelled.
fn unloaded(name: &Arc<str>) -> ControlError {
    ControlError::Unloaded {
        model: Arc::clone(name),
    }
}
