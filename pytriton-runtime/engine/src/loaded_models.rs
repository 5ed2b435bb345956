//! The models of this process that a tritonserver serves.

use std::fmt;
use std::sync::Arc;

use pytriton_core::model::ModelSpec;

/// All versions, by name and version.
#[derive(Clone)]
pub struct LoadedModels {
    specs: Vec<Arc<ModelSpec>>,
    is_loaded: Arc<IsLoaded>,
}

/// Returns whether tritonserver has loaded a model; `None` if unknown because tritonserver is being
/// restarted.
type IsLoaded = dyn Fn(&ModelSpec) -> Option<bool> + Send + Sync;

/// tritonserver has died, and it is unknown which models the next one loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restarting;

impl LoadedModels {
    /// Creates the list from models sorted by name and version. `is_loaded` returns whether
    /// tritonserver has loaded one of them, or `None` if that is unknown.
    pub fn new(
        specs: Vec<Arc<ModelSpec>>,
        is_loaded: impl Fn(&ModelSpec) -> Option<bool> + Send + Sync + 'static,
    ) -> Self {
        let is_loaded = Arc::new(is_loaded);
        Self { specs, is_loaded }
    }

    /// Returns the latest loaded version of a model.
    ///
    /// # Errors
    ///
    /// Returns [`Restarting`] if it is unknown.
    pub fn latest(&self, name: &str) -> Result<Option<&Arc<ModelSpec>>, Restarting> {
        let versions = self.specs.iter().rev();
        let mut versions = versions.filter(|spec| *spec.name == *name);
        let mut known = true;
        let loaded = versions.find(|spec| {
            let loaded = (self.is_loaded)(spec);
            known &= loaded.is_some();
            loaded == Some(true)
        });
        match loaded {
            None if !known => Err(Restarting),
            loaded => Ok(loaded),
        }
    }

    /// Returns the loaded models, by name and version.
    ///
    /// # Errors
    ///
    /// Returns [`Restarting`] if one is unknown.
    pub fn loaded(&self) -> Result<Vec<&Arc<ModelSpec>>, Restarting> {
        let specs = self.specs.iter();
        let specs = specs.filter_map(|spec| match (self.is_loaded)(spec) {
            Some(loaded) => loaded.then_some(Ok(spec)),
            None => Some(Err(Restarting)),
        });
        specs.collect()
    }
}

impl fmt::Debug for LoadedModels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedModels").finish_non_exhaustive()
    }
}

impl fmt::Display for Restarting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is restarting")
    }
}

#[cfg(test)]
mod tests {
    use pytriton_core::testing::IDENTITY;

    use super::*;

    fn models(loaded: &[Option<bool>]) -> LoadedModels {
        let spec = IDENTITY.spec().unwrap();
        let specs = (1..).zip(loaded).map(|(version, _)| {
            let mut spec = spec.clone();
            spec.version = version;
            Arc::new(spec)
        });
        let loaded = loaded.to_vec();
        LoadedModels::new(specs.collect(), move |spec| {
            loaded[spec.version as usize - 1]
        })
    }

    #[test]
    fn unknown_state_is_neither_loaded_nor_unloaded() {
        let (yes, no, unknown) = (Some(true), Some(false), None);
        let table = [
            (vec![], Ok(None), Ok(vec![])),
            (vec![yes, yes, no], Ok(Some(2)), Ok(vec![1, 2])),
            (vec![no], Ok(None), Ok(vec![])),
            (vec![yes, unknown], Ok(Some(1)), Err(Restarting)),
            (vec![unknown, no], Err(Restarting), Err(Restarting)),
        ];
        for (loaded, latest, all) in table {
            let models = models(&loaded);
            let found = models.latest("Identity");
            assert_eq!(found.map(|spec| spec.map(|spec| spec.version)), latest);
            let found = models.loaded();
            let found = found.map(|specs| specs.iter().map(|spec| spec.version).collect());
            assert_eq!(found, all);
            assert!(models.latest("Nope").is_ok_and(|spec| spec.is_none()));
        }
    }
}
