use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::call::Loader;
use crate::decorators::Steps;
use crate::model::{Location, ModelSpec};

use super::{FunctionDeclaration, ModelDeclaration, RegistryError};

/// A model of the registry.
#[derive(Clone)]
pub struct Registration {
    /// What the model is.
    pub spec: Arc<ModelSpec>,
    /// What makes its instances.
    pub load: Loader,
    /// The steps around its function.
    pub steps: Steps,
}

impl Registration {
    /// The same model without OpenAI's routes.
    pub(crate) fn without_openai(mut self) -> Self {
        Arc::make_mut(&mut self.spec).openai = None;
        self
    }
}

/// The models of this binary, by name and version.
///
/// # Examples
///
/// ```
/// use pytriton_runtime::registry::Registry;
///
/// let registry = Registry::new(&[]).unwrap();
/// assert!(registry.is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Registry {
    models: BTreeMap<(Arc<str>, u32), Registration>,
}

impl Registry {
    /// The same models without OpenAI's routes.
    pub(crate) fn without_openai(self) -> Self {
        let models = self.models.into_iter();
        let models = models.map(|(key, model)| (key, model.without_openai()));
        Self {
            models: models.collect(),
        }
    }

    /// All models that `#[pytriton::model]` wrote into this binary, whatever crate they are in.
    ///
    /// # Errors
    ///
    /// A [`RegistryError`] that names the model and its place in the source.
    pub fn collect() -> Result<Self, RegistryError> {
        let functions = inventory::iter::<FunctionDeclaration>();
        Self::of(functions.map(|function| (function.location, function.registration())))
    }

    /// Checks the declarations and sorts them by name and version.
    ///
    /// # Errors
    ///
    /// A [`RegistryError`] that names the model and its place in the source; [`RegistryError::Several`] for every
    /// mistake there is.
    pub fn new(declarations: &[&ModelDeclaration]) -> Result<Self, RegistryError> {
        let declarations = declarations.iter();
        Self::of(declarations.map(|model| (model.location, model.registration())))
    }

    fn of(
        models: impl Iterator<Item = (Location, Result<Registration, RegistryError>)>,
    ) -> Result<Self, RegistryError> {
        // By their places in the source: `inventory` promises no order.
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
        RegistryError::all(errors)?;
        Ok(Self { models })
    }

    /// Adds a model.
    ///
    /// # Errors
    ///
    /// [`RegistryError::DuplicateModel`] when there is one of its name and version already, which stays.
    pub fn insert(&mut self, model: Registration) -> Result<(), RegistryError> {
        self.check_new(&model.spec)?;
        let key = (Arc::clone(&model.spec.name), model.spec.version);
        self.models.insert(key, model);
        Ok(())
    }

    /// Says whether a model could be added.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn check_new(&self, model: &ModelSpec) -> Result<(), RegistryError> {
        match self.models.get(&(Arc::clone(&model.name), model.version)) {
            Some(other) => Err(duplicate(&other.spec, model)),
            None => Ok(()),
        }
    }

    /// Takes a model out.
    pub fn remove(&mut self, name: &str, version: u32) -> Option<Registration> {
        self.models.remove(&(name.into(), version))
    }

    /// The models in the order of their names and versions.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ModelSpec>> {
        self.models.values().map(|registration| &registration.spec)
    }

    /// The same with what makes their instances.
    pub fn registrations(&self) -> impl Iterator<Item = &Registration> {
        self.models.values()
    }

    /// Whether there is no model.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::OutputOverride;
    use crate::testing::IDENTITY;

    #[test]
    fn every_mistake_of_every_model_is_reported() {
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
            name: "Flawed",
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
