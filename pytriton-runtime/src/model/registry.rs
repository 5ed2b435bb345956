use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ModelDeclaration, ModelSpec, RegistryError};

/// The models of this binary, by name and version.
///
/// # Examples
///
/// ```
/// use pytriton_runtime::model::Registry;
///
/// let registry = Registry::new(&[]).unwrap();
/// assert!(registry.is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Registry {
    models: BTreeMap<(&'static str, u32), Arc<ModelSpec>>,
}

impl Registry {
    /// All models that `#[pytriton::model]` wrote into this binary, whatever crate they are in.
    ///
    /// # Errors
    ///
    /// A [`RegistryError`] that names the model and its place in the source.
    pub fn collect() -> Result<Self, RegistryError> {
        let declarations: Vec<_> = inventory::iter::<ModelDeclaration>().collect();
        Self::new(&declarations)
    }

    /// Checks the declarations and sorts them by name and version.
    ///
    /// # Errors
    ///
    /// A [`RegistryError`] that names the model and its place in the source.
    pub fn new(declarations: &[&ModelDeclaration]) -> Result<Self, RegistryError> {
        let mut models = BTreeMap::new();
        for declaration in declarations {
            let spec = Arc::new(ModelSpec::new(declaration)?);
            let key = (spec.name, spec.version);
            if let Some(other) = models.insert(key, Arc::clone(&spec)) {
                return Err(duplicate(&other, &spec));
            }
        }
        Ok(Self { models })
    }

    /// The models in the order of their names and versions.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ModelSpec>> {
        self.models.values()
    }

    /// Whether there is no model.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }
}

/// `inventory` promises no order, so that the places are put in one.
fn duplicate(one: &ModelSpec, two: &ModelSpec) -> RegistryError {
    let mut places = [one.location, two.location];
    places.sort_by_key(|place| (place.package, place.file, place.line));
    RegistryError::DuplicateModel {
        model: one.name,
        version: one.version,
        first: places[0],
        second: places[1],
    }
}
