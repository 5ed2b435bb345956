use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use futures_util::future::join_all;

use crate::engine::ControlMode;
use crate::model::VersionPolicy;
use crate::registry::Registration;
use crate::text::excerpt;

use super::catalog::{Catalog, Found};
use super::settled::Settled;
use super::state::{IndexEntry, State};
use super::{ControlError, LoadError, Model, ModelSet};

/// What a client asks of one model.
impl ModelSet {
    /// Loads the versions of a model anew that its policy takes. Those that serve go on until the new ones do, and answer what they have accepted;
    /// where one version cannot be loaded, nothing changes for them. While it is being loaded one more load waits, the newest.
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
            let found = set.catalog().find(&name);
            let Some(_turn) = asked.turn().await else {
                return Err(outdated(&name, &found));
            };
            // A function that never comes back from loading keeps neither its turn nor its place.
            tokio::select! {
                biased;
                () = asked.taken_back() => Err(outdated(&name, &found)),
                done = set.replace(&name, change) => done,
            }
        })
        .await
    }

    /// Takes a model out at once, with all of its versions; what they have accepted is answered, and then their instances
    /// end. Whatever is being loaded comes to nothing.
    ///
    /// # Errors
    ///
    /// [`ControlError`]; a model that is not there is none.
    pub fn unload_named(self: &Arc<Self>, name: &str) -> Result<(), ControlError> {
        self.check_explicit()?;
        self.take_out(name);
        Ok(())
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
        name: &Arc<str>,
        change: impl Fn(Registration, Option<&VersionPolicy>) -> Result<Registration, String>,
    ) -> Result<(), ControlError> {
        let mut found = self.catalog().find(name);
        let bound = VersionPolicy::among(found.iter().map(|found| &*found.registration.spec));
        let registrations: Result<Vec<_>, _> = found
            .iter()
            .map(|found| change(found.registration.clone(), bound.as_ref()))
            .collect();
        let mut registrations = registrations.map_err(|reason| {
            tracing::error!(
                model = &**name,
                reason,
                "the model is not loaded as it is asked for"
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
        for found in &found {
            self.unless_serving(found, State::Loading);
        }
        let started = registrations.iter().map(|model| self.started(model));
        let started = join_all(started).await;
        if started.iter().all(Result::is_ok) {
            let models = started.into_iter().flatten();
            let said = policy.filter(|policy| Some(policy) != bound.as_ref());
            return self.serve(name, found, models, said);
        }
        let mut reasons = String::new();
        for (found, started) in found.iter().zip(&started) {
            let version = found.registration.spec.version;
            let state = match started {
                Ok(_) => State::unloaded(),
                Err(error) => {
                    let reason = reason(error);
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

    /// Notes how a load goes; a version that serves goes on.
    fn unless_serving(&self, found: &Found, next: State) {
        if let Some(state) = self.catalog().found(found)
            && *state != State::Serving
        {
            *state = next;
        }
    }

    /// Lets models serve at one stroke, in the place of those that did.
    fn serve(
        self: &Arc<Self>,
        name: &Arc<str>,
        found: Vec<Found>,
        models: impl Iterator<Item = Model>,
        said: Option<VersionPolicy>,
    ) -> Result<(), ControlError> {
        let mut catalog = self.catalog();
        let settled = self.change(|table| {
            if self.is_stopping() {
                return Err(ControlError::Stopping);
            }
            if found.iter().all(|found| catalog.found(found).is_none()) {
                return Err(outdated(name, &found));
            }
            catalog.set_policy(name, said);
            let loaded = found.into_iter().zip(models);
            Ok(Settled::new(&mut catalog, table, name, loaded))
        })?;
        self.retire(&mut catalog, settled.gone);
        drop(catalog);
        settled.replaced.iter().for_each(|model| self.let_go(model));
        Ok(())
    }

    fn take_out(self: &Arc<Self>, name: &str) {
        let mut catalog = self.catalog();
        catalog.outdate(name);
        let models = self.change(|table| table.remove(name));
        self.retire(&mut catalog, models.unwrap_or_default());
    }

    /// Notes that versions are out, and waits elsewhere until they have answered what they have accepted.
    pub(super) fn retire(
        self: &Arc<Self>,
        catalog: &mut Catalog,
        models: BTreeMap<u32, Arc<Model>>,
    ) {
        for (version, model) in models {
            let (set, name) = (Arc::downgrade(self), Arc::clone(&model.spec().name));
            let unloading = catalog.unloading(&name, version);
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

/// What Triton says of a load that something newer has overtaken.
fn outdated(name: &str, found: &[Found]) -> ControlError {
    let versions = found.iter().map(|found| found.registration.spec.version);
    let reasons = versions.map(|version| {
        format!(
            "version {version} is at UNAVAILABLE state: Newer operation has been applied to the model lifecycle, current load \
             operation is out-dated.;"
        )
    });
    ControlError::Failed {
        model: name.into(),
        reasons: reasons.collect(),
    }
}
