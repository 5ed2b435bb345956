use std::sync::Arc;

use pytriton_core::model::{ModelSpec, VersionPolicy};
use pytriton_core::registry::Registration;

use super::repository_index::Found;
use super::state::State;
use super::transition::Transition;
use super::{LoadError, Model, ModelRepository};

/// Versions that are added and removed while the server runs.
impl ModelRepository {
    /// Starts a model and puts it into service if its version policy selects it. Versions that the
    /// policy no longer selects are removed. Returns the replaced model with the same name and
    /// version, which still completes the requests that it has accepted.
    ///
    /// # Errors
    ///
    /// Returns a [`LoadError`] if the model cannot be loaded or the server is stopping. The models
    /// in service do not change then.
    pub async fn load(
        self: &Arc<Self>,
        model: &Registration,
    ) -> Result<Option<Arc<Model>>, LoadError> {
        let ModelSpec { name, version, .. } = &*model.spec;
        let is_taken = self.catalog().selects(&model.spec);
        let started = match is_taken {
            true => Some(self.started(model).await?),
            false => {
                tracing::warn!(
                    model = &**name,
                    version,
                    "this version is not served: the version policy of the model excludes it"
                );
                None
            }
        };
        let mut catalog = self.catalog();
        let settled = self.change(|models| {
            if self.is_stopping() {
                return Err(LoadError::stopping(&model.spec));
            }
            let found = catalog.insert(model, State::New);
            let loaded = started.map(|started| (found, started));
            Ok(Transition::new(&mut catalog, models, name, loaded))
        })?;
        self.retire(&mut catalog, settled.removed);
        Ok(settled.replaced.into_iter().next())
    }

    /// Removes a version and returns it. It still completes the requests that it has accepted.
    /// Versions that the policy selects instead are put into service first.
    pub async fn unload(self: &Arc<Self>, name: &str, version: u32) -> Option<Arc<Model>> {
        self.catalog().remove(name, version);
        let bound = self.change(|models| models.get(name)?.get(&version).cloned())?;
        self.fill_up(&name.into()).await;
        self.change(|models| {
            let versions = models.get_mut(name)?;
            // Another model with this version may have been bound meanwhile.
            let model = versions
                .get(&version)
                .is_some_and(|model| Arc::ptr_eq(model, &bound))
                .then(|| versions.remove(&version))
                .flatten();
            if versions.is_empty() {
                models.remove(name);
            }
            model
        })
    }

    /// Returns the version policy of a model for its configuration, or `None` for Triton's default.
    pub fn version_policy(&self, model: &ModelSpec) -> Option<VersionPolicy> {
        self.catalog().policy(&model.name)
    }

    /// Loads the selected versions of a model that are not serving.
    async fn fill_up(self: &Arc<Self>, name: &Arc<str>) {
        let missing: Vec<Found> = {
            let catalog = self.catalog();
            let taken = catalog.taken(name);
            let missing = catalog.find(name).into_iter().filter(|found| {
                let version = found.registration.spec.version;
                taken.contains(&version) && !self.is_there(name, version)
            });
            missing.collect()
        };
        for found in missing {
            let started = self.started(&found.registration).await;
            let mut catalog = self.catalog();
            match started {
                Ok(started) => {
                    let settled = self.change(|models| {
                        let loaded = (!self.is_stopping()).then_some((found, started));
                        Transition::new(&mut catalog, models, name, loaded)
                    });
                    self.retire(&mut catalog, settled.removed);
                }
                Err(error) => {
                    tracing::error!(%error, "cannot load the version that replaces the unloaded one");
                    if let Some(state) = catalog.found(&found) {
                        *state = State::failed(&error.reason());
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::registry::VersionPolicyDeclaration::{self, All, Latest, Specific};
    use pytriton_core::registry::{ModelDeclaration, ModelOptions, Registry};
    use pytriton_engine::Limits;
    use pytriton_engine::options::{ControlMode, ControlOptions};
    use tokio::runtime::Handle;

    use crate::testing::{IDENTITY, request};

    use super::super::ControlError;
    use super::*;

    fn version(
        version: u32,
        policy: Option<VersionPolicyDeclaration<'static>>,
    ) -> ModelDeclaration {
        ModelDeclaration {
            options: ModelOptions {
                version,
                version_policy: policy,
                ..IDENTITY.options
            },
            ..IDENTITY
        }
    }

    async fn started(models: &[&ModelDeclaration]) -> Arc<ModelRepository> {
        let control = ControlOptions {
            model_control_mode: ControlMode::Explicit,
            load_model: vec!["*".to_owned()],
            ..ControlOptions::default()
        };
        let registry = Registry::new(models).unwrap();
        let set = ModelRepository::controlled(&registry, &Limits::default(), control).await;
        Arc::new(set.unwrap())
    }

    fn index(set: &ModelRepository) -> String {
        let entries = set.index(false).into_iter().filter_map(|entry| {
            let version = entry.version?;
            Some(format!(
                "{} {} {}",
                version.number, version.state, version.reason
            ))
        });
        entries.collect::<Vec<_>>().join("; ")
    }

    /// Returns the index once no model is unloading.
    async fn settled(set: &ModelRepository) -> String {
        while index(set).contains("UNLOADING") {
            tokio::task::yield_now().await;
        }
        index(set)
    }

    #[tokio::test]
    async fn only_versions_of_the_policy_are_loaded() {
        let table = [
            (None, "1 READY ; 2 READY ; 3 READY "),
            (Some(All), "1 READY ; 2 READY ; 3 READY "),
            (Some(Latest(1)), "3 READY "),
            (Some(Specific(&[1, 2, 9])), "1 READY ; 2 READY "),
        ];
        for (policy, expected) in table {
            let models = [version(1, None), version(2, policy), version(3, None)];
            let set = started(&models.each_ref()).await;
            assert_eq!(index(&set), expected, "{policy:?}");
            assert!(set.ready());
            assert_eq!(set.unload_named("Identity"), Ok(()));
            set.load_named("Identity", 0, |model, _| Ok(model))
                .await
                .unwrap();
            assert_eq!(settled(&set).await, expected, "{policy:?}");
        }
        let models = [version(1, Some(Latest(1))), version(2, None)];
        let set = started(&models.each_ref()).await;
        let error = set.model("Identity", Some(1)).unwrap_err().to_string();
        let expected = "Request for unknown model: 'Identity' version 1 is not found";
        assert_eq!(error, expected);
        let policy = set.version_policy(set.model("Identity", None).unwrap().spec());
        assert_eq!(policy, Some(VersionPolicy::Latest(1)));
    }

    #[tokio::test]
    async fn newer_version_replaces_the_latest() {
        let set = started(&[&version(2, Some(Latest(1)))]).await;
        let ask = async || {
            let model = set.model("Identity", None).unwrap();
            model.infer(request(model.spec(), 1, 1.0)).await.unwrap();
            model.spec().version
        };
        assert_eq!(ask().await, 2);
        let third = version(3, None).registration().unwrap();
        assert!(set.load(&third).await.unwrap().is_none());
        assert_eq!(ask().await, 3);
        assert_eq!(settled(&set).await, "2 UNAVAILABLE unloaded; 3 READY ");
        assert!(set.ready());
        let first = version(1, None).registration().unwrap();
        assert!(set.load(&first).await.unwrap().is_none());
        assert_eq!(index(&set), "2 UNAVAILABLE unloaded; 3 READY ");
        let unloaded = set.unload("Identity", 3).await.unwrap();
        assert_eq!(unloaded.spec().version, 3);
        assert_eq!((ask().await, index(&set)), (2, "2 READY ".to_owned()));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn load_keeps_versions_bound_after_its_start() {
        let table = [
            (None, "1 READY ; 2 READY ; 3 READY "),
            (Some(Latest(1)), "2 UNAVAILABLE unloaded; 3 READY "),
            (Some(Specific(&[1, 3])), "1 READY ; 3 READY "),
        ];
        for (policy, expected) in table {
            let set = started(&[&version(1, policy), &version(2, None)]).await;
            let (binding, third) = (Arc::clone(&set), version(3, None).registration().unwrap());
            let bind_meanwhile = move |model: Registration, _: Option<&VersionPolicy>| {
                if model.spec.version == 1 {
                    let bound = binding.load(&third);
                    tokio::task::block_in_place(|| Handle::current().block_on(bound)).unwrap();
                }
                Ok(model)
            };
            let loaded = set.load_named("Identity", 0, bind_meanwhile).await;
            assert_eq!(loaded, Ok(()));
            assert_eq!(settled(&set).await, expected, "{policy:?}");
            assert!(set.ready());
        }
    }

    #[tokio::test]
    async fn served_version_is_unloaded_if_a_new_policy_excludes_it() {
        let set = started(&[&version(1, None), &version(2, None)]).await;
        let first = version(1, Some(Specific(&[2]))).registration().unwrap();
        assert!(set.load(&first).await.unwrap().is_none());
        assert_eq!(settled(&set).await, "1 UNAVAILABLE unloaded; 2 READY ");
        assert!(set.model("Identity", Some(1)).is_err() && set.ready());
    }

    #[tokio::test]
    async fn version_policy_of_a_client_applies_to_later_versions() {
        let set = started(&[&version(1, None), &version(2, None)]).await;
        let latest = |mut model: Registration, _: Option<&VersionPolicy>| {
            Arc::make_mut(&mut model.spec).version_policy = Some(VersionPolicy::Latest(1));
            Ok(model)
        };
        assert_eq!(set.load_named("Identity", 0, latest).await, Ok(()));
        let third = version(3, None).registration().unwrap();
        set.load(&third).await.unwrap();
        assert_eq!(
            settled(&set).await,
            "1 UNAVAILABLE unloaded; 2 UNAVAILABLE unloaded; 3 READY "
        );
        drop(set.unload("Identity", 3).await);
        assert_eq!(index(&set), "1 UNAVAILABLE unloaded; 2 READY ");
    }

    #[tokio::test]
    async fn load_can_change_the_policy() {
        let set = started(&[&version(1, None), &version(2, None)]).await;
        let with = |policy: VersionPolicy| {
            move |mut model: Registration, _: Option<&VersionPolicy>| {
                Arc::make_mut(&mut model.spec).version_policy = Some(policy.clone());
                Ok(model)
            }
        };
        let latest = set.load_named("Identity", 0, with(VersionPolicy::Latest(1)));
        latest.await.unwrap();
        assert_eq!(settled(&set).await, "1 UNAVAILABLE unloaded; 2 READY ");
        let policy = set.version_policy(set.model("Identity", None).unwrap().spec());
        assert_eq!(policy, Some(VersionPolicy::Latest(1)));
        let none = with(VersionPolicy::Specific(vec![9]));
        let error = set.load_named("Identity", 0, none).await.unwrap_err();
        let model = "Identity".into();
        assert_eq!(error, ControlError::NoVersion { model });
        assert_eq!(index(&set), "1 UNAVAILABLE unloaded; 2 READY ");
        set.load_named("Identity", 0, |model, _| Ok(model))
            .await
            .unwrap();
        assert_eq!(index(&set), "1 READY ; 2 READY ");
    }
}
