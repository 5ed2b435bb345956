use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};

use crate::call::{Context, Loader};
use crate::decorators::Steps;
use crate::local_models::LocalModels;
use crate::model::{Location, ModelSpec, VersionPolicy};
use crate::shared_state::{SharedStates, StateType};

use super::{FunctionDeclaration, ModelDeclaration, OptionOverride, RegistryError};

/// A model of the registry.
#[derive(Clone)]
pub struct Registration {
    /// The model's properties.
    pub spec: Arc<ModelSpec>,
    /// Creates its instances.
    pub load: Loader,
    /// The steps around its function.
    pub steps: Steps,
    /// The models that it can call, once they are known.
    pub models: Option<Weak<dyn LocalModels>>,
    /// The states that its function can take.
    pub states: Arc<SharedStates>,
}

impl Registration {
    /// Sets the models that it can call.
    pub fn with_models(self, models: &Weak<dyn LocalModels>) -> Self {
        let models = Some(Weak::clone(models));
        Self { models, ..self }
    }

    /// Sets the states that its function can take.
    pub fn with_states(self, states: &Arc<SharedStates>) -> Self {
        let states = Arc::clone(states);
        Self { states, ..self }
    }

    /// Returns the context of an instance.
    pub fn context(&self, instance: u32) -> Context {
        let context = Context::new(Arc::clone(&self.spec), instance);
        context
            .with_models(self.models.clone())
            .with_states(&self.states)
    }

    /// Removes the OpenAI route.
    pub fn without_openai(mut self) -> Self {
        Arc::make_mut(&mut self.spec).openai = None;
        self
    }
}

/// The models of this binary, by name and version.
///
/// # Examples
///
/// ```
/// use pytriton_core::registry::Registry;
///
/// let registry = Registry::new(&[]).unwrap();
/// assert!(registry.is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Registry {
    pub(super) models: BTreeMap<(Arc<str>, u32), Registration>,
}

impl Registry {
    /// Removes the OpenAI routes.
    pub fn without_openai(self) -> Self {
        let models = self.models.into_iter();
        let models = models.map(|(key, model)| (key, model.without_openai()));
        Self {
            models: models.collect(),
        }
    }

    /// Sets the models that its models can call.
    pub fn with_models(&self, callable: &Weak<dyn LocalModels>) -> Self {
        let models = self.models.iter();
        let models = models.map(|(key, model)| (key.clone(), model.clone().with_models(callable)));
        Self {
            models: models.collect(),
        }
    }

    /// Sets the states that functions of its models can take.
    pub fn with_states(&self, states: &Arc<SharedStates>) -> Self {
        let models = self.models.iter();
        let models = models.map(|(key, model)| (key.clone(), model.clone().with_states(states)));
        Self {
            models: models.collect(),
        }
    }

    /// Collects all models of this binary that `#[pytriton::model]` has registered, from all
    /// crates.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] with the model and its location in the source code.
    pub fn collect() -> Result<Self, RegistryError> {
        Self::collect_with(&[])
    }

    /// Like [`collect`](Self::collect), with overrides of options. Overrides of other models are
    /// ignored; see [`check_overrides`](Self::check_overrides).
    ///
    /// # Errors
    ///
    /// Also [`RegistryError::Options`] for an unknown option or a value that violates a rule.
    pub fn collect_with(overrides: &[OptionOverride]) -> Result<Self, RegistryError> {
        let functions = inventory::iter::<FunctionDeclaration>();
        let registration = |function: &FunctionDeclaration| function.registration(overrides);
        Self::of(functions.map(|function| (function.location, registration(function))))
    }

    /// Checks the declarations and sorts them by name and version.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] with the model and its location in the source code;
    /// [`RegistryError::Several`] with all errors.
    pub fn new(declarations: &[&ModelDeclaration]) -> Result<Self, RegistryError> {
        let declarations = declarations.iter();
        Self::of(declarations.map(|model| (model.location, model.registration())))
    }

    fn of(
        models: impl Iterator<Item = (Location, Result<Registration, RegistryError>)>,
    ) -> Result<Self, RegistryError> {
        // By location: `inventory` does not guarantee an order.
        let mut found: Vec<_> = models.collect();
        found.sort_by_key(|(location, _)| (location.package, location.file, location.line));
        let mut models = BTreeMap::new();
        let mut errors = Vec::new();
        for (_, registration) in found {
            let registration = match registration {
                Ok(registration) => registration,
                Err(error) => {
                    errors.push(error);
                    continue;
                }
            };
            let spec = Arc::clone(&registration.spec);
            let key = (Arc::clone(&spec.name), spec.version);
            if let Some(other) = models.insert(key, registration) {
                errors.push(duplicate(&other.spec, &spec));
            }
        }
        let registry = Self { models };
        errors.extend(registry.disagreements());
        RegistryError::all(errors)?;
        Ok(registry)
    }

    /// Versions whose policy differs from that of an earlier version.
    fn disagreements(&self) -> Vec<RegistryError> {
        let mut compared: Vec<&ModelSpec> = Vec::new();
        let mut errors = Vec::new();
        for spec in self.iter() {
            errors.extend(compared.iter().find_map(|other| disagreement(other, spec)));
            compared.push(spec);
        }
        errors
    }

    /// The served models: of each, the versions that its policy selects.
    pub fn served(&self) -> Self {
        let taken = |spec: &ModelSpec| self.taken(&spec.name).contains(&spec.version);
        let models = self.models.iter().filter(|(_, model)| taken(&model.spec));
        Self {
            models: models
                .map(|(key, model)| (key.clone(), model.clone()))
                .collect(),
        }
    }

    /// Checks that each model has a served version, that its calls of other models are valid, and
    /// that the shared states it takes exist.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NoVersion`] for each model without one, [`RegistryError::UnknownCallee`],
    /// [`RegistryError::OtherCallee`], [`RegistryError::CallCycle`],
    /// [`RegistryError::LostIdentity`] and [`RegistryError::NoState`].
    pub fn check_served(&self) -> Result<(), RegistryError> {
        let mut errors = BTreeMap::new();
        for spec in self.iter().filter(|spec| self.taken(&spec.name).is_empty()) {
            let versions = self.of_name(&spec.name).map(|spec| spec.version);
            let error = RegistryError::NoVersion {
                model: Arc::clone(&spec.name),
                location: spec.location,
                versions: versions.collect(),
            };
            errors.insert(&spec.name, error);
        }
        let mut errors: Vec<_> = errors.into_values().collect();
        errors.extend(self.check_calls());
        let served = self.served();
        errors.extend(
            served
                .registrations()
                .flat_map(Registration::missing_states),
        );
        RegistryError::all(errors)
    }

    /// Checks that the types contain all states that the served models take. Unlike
    /// [`check_served`](Self::check_served), it can be called before the states are created.
    ///
    /// # Errors
    ///
    /// [`RegistryError::NoState`] for each that is missing.
    pub fn check_states(&self, provided: &[StateType]) -> Result<(), RegistryError> {
        let served = self.served();
        let models = served.registrations();
        let errors = models.flat_map(|model| model.states_missing_in(provided));
        RegistryError::all(errors.collect())
    }

    /// The served versions of a model.
    fn taken(&self, name: &str) -> Vec<u32> {
        let versions: Vec<u32> = self.of_name(name).map(|spec| spec.version).collect();
        match VersionPolicy::among(self.of_name(name)) {
            Some(policy) => policy.of(&versions),
            None => versions,
        }
    }

    /// The versions of a model, in order.
    pub(super) fn of_name(&self, name: &str) -> impl Iterator<Item = &ModelSpec> {
        let first = (Arc::from(name), 0);
        let last = (Arc::from(name), u32::MAX);
        self.models
            .range(first..=last)
            .map(|(_, model)| &*model.spec)
    }

    /// Adds a model.
    ///
    /// # Errors
    ///
    /// [`RegistryError::DuplicateModel`] if its name and version exist already, and
    /// [`RegistryError::VersionPolicies`] if another version sets a different policy.
    pub fn insert(&mut self, model: Registration) -> Result<(), RegistryError> {
        self.check_new(&model.spec)?;
        let key = (Arc::clone(&model.spec.name), model.spec.version);
        self.models.insert(key, model);
        Ok(())
    }

    /// Checks whether a model could be added.
    ///
    /// # Errors
    ///
    /// See [`insert`](Self::insert).
    pub fn check_new(&self, model: &ModelSpec) -> Result<(), RegistryError> {
        if let Some(other) = self.models.get(&(Arc::clone(&model.name), model.version)) {
            return Err(duplicate(&other.spec, model));
        }
        let mut others = self.of_name(&model.name);
        let differs = others.find_map(|other| disagreement(other, model));
        differs.map_or(Ok(()), Err)
    }

    /// Removes a model.
    pub fn remove(&mut self, name: &str, version: u32) -> Option<Registration> {
        self.models.remove(&(name.into(), version))
    }

    /// Whether a model of this name and version exists.
    pub fn contains(&self, model: &ModelSpec) -> bool {
        let key = (Arc::clone(&model.name), model.version);
        self.models.contains_key(&key)
    }

    /// The models, sorted by name and version.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ModelSpec>> {
        self.models.values().map(|registration| &registration.spec)
    }

    /// The models with their loaders.
    pub fn registrations(&self) -> impl Iterator<Item = &Registration> {
        self.models.values()
    }

    /// Whether there are no models.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration")
            .field("spec", &self.spec)
            .finish_non_exhaustive()
    }
}

fn duplicate(first: &ModelSpec, second: &ModelSpec) -> RegistryError {
    RegistryError::DuplicateModel {
        model: Arc::clone(&first.name),
        version: first.version,
        first: first.location,
        second: second.location,
    }
}

/// The error for two versions of a model with different policies.
fn disagreement(first: &ModelSpec, second: &ModelSpec) -> Option<RegistryError> {
    let differs = match (&first.version_policy, &second.version_policy) {
        (Some(policy), Some(other)) => first.name == second.name && policy != other,
        _ => false,
    };
    differs.then(|| RegistryError::VersionPolicies {
        model: Arc::clone(&first.name),
        version: first.version,
        location: first.location,
        other_version: second.version,
        other_location: second.location,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::OutputOverride;
    use crate::registry::ModelOptions;
    use crate::registry::VersionPolicyDeclaration::{self, All, Latest, Specific};
    use crate::testing::IDENTITY;

    fn version(
        version: u32,
        version_policy: Option<VersionPolicyDeclaration<'static>>,
    ) -> ModelDeclaration {
        ModelDeclaration {
            options: ModelOptions {
                version,
                version_policy,
                ..IDENTITY.options
            },
            ..IDENTITY
        }
    }

    #[test]
    fn policy_selects_the_served_versions() {
        let table = [
            (None, vec![1, 2, 10]),
            (Some(All), vec![1, 2, 10]),
            (Some(Latest(1)), vec![10]),
            (Some(Latest(2)), vec![2, 10]),
            (Some(Specific(&[10, 1, 7])), vec![1, 10]),
        ];
        for (policy, expected) in table {
            let versions = [version(1, None), version(2, policy), version(10, None)];
            let other = ModelDeclaration {
                options: ModelOptions {
                    name: "Other",
                    ..IDENTITY.options
                },
                ..IDENTITY
            };
            let registry = Registry::new(&[&versions[0], &other, &versions[2], &versions[1]]);
            let registry = registry.unwrap();
            registry.check_served().unwrap();
            let served = registry.served();
            let served = served
                .iter()
                .filter(|spec| *spec.name != *other.options.name);
            let served: Vec<u32> = served.map(|spec| spec.version).collect();
            assert_eq!(served, expected, "{policy:?}");
        }
    }

    #[test]
    fn conflicting_and_empty_version_policies_are_reported() {
        let models = [
            version(1, Some(All)),
            version(2, None),
            version(3, Some(Latest(1))),
        ];
        let differs = ") has another policy than version 3 (declared at ";
        let [one, two, three] = &models;
        let error = Registry::new(&[one, two, three]).unwrap_err().to_string();
        assert!(error.contains(differs), "{error}");
        let mut registry = Registry::new(&[one, two]).unwrap();
        let third = three.registration().unwrap();
        let error = registry.insert(third).unwrap_err().to_string();
        assert!(error.contains(differs), "{error}");
        let absent = version(1, Some(Specific(&[7])));
        let registry = Registry::new(&[&absent, two]).unwrap();
        let error = registry.check_served().unwrap_err().to_string();
        assert!(
            error.contains("selects none of the versions [1, 2]"),
            "{error}"
        );
        assert!(registry.served().is_empty());
    }

    #[test]
    fn every_error_of_every_model_is_reported() {
        const TOO_LONG: OutputOverride = OutputOverride {
            name: None,
            labels: "",
            shape: Some(&[1, 2, 3, 4, 5, 6, 7]),
        };
        let at = |line| Location {
            line,
            ..IDENTITY.location
        };
        let first = ModelDeclaration {
            location: at(1),
            ..IDENTITY
        };
        let second = ModelDeclaration {
            location: at(2),
            ..IDENTITY
        };
        let flawed = ModelDeclaration {
            options: ModelOptions {
                name: "Flawed",
                ..IDENTITY.options
            },
            location: at(3),
            output_overrides: &[TOO_LONG; 9],
            ..IDENTITY
        };
        let error = Registry::new(&[&flawed, &second, &first]).unwrap_err();
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].contains("registered twice"), "{text}");
        assert!(lines[1].contains("9 `#[output]` attributes"), "{text}");
        assert!(
            lines[2].contains("with shape [1, 2, 3, 4, 5, 6, 7]"),
            "{text}"
        );
    }
}
