//! The models of this process that a tritonserver serves.

use std::fmt;
use std::sync::Arc;

use pytriton_core::model::ModelSpec;

/// A version of a model.
pub trait LoadedModel: fmt::Debug + Send + Sync {
    /// Returns its description.
    fn spec(&self) -> &Arc<ModelSpec>;

    /// Returns whether tritonserver has loaded it; `None` if unknown because tritonserver is being
    /// restarted.
    fn is_loaded(&self) -> Option<bool>;
}

/// All versions, by name and version.
#[derive(Debug, Clone)]
pub struct LoadedModels(Vec<Arc<dyn LoadedModel>>);

/// tritonserver has died, and it is unknown which models the next one loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restarting;

impl LoadedModels {
    /// Creates the list from models sorted by name and version.
    pub fn new(models: Vec<Arc<dyn LoadedModel>>) -> Self {
        Self(models)
    }

    /// Returns the latest loaded version of a model.
    ///
    /// # Errors
    ///
    /// Returns [`Restarting`] if it is unknown.
    pub fn latest(&self, name: &str) -> Result<Option<&Arc<ModelSpec>>, Restarting> {
        let versions = self.0.iter().rev();
        let mut versions = versions.filter(|model| *model.spec().name == *name);
        let mut known = true;
        let loaded = versions.find(|model| {
            let loaded = model.is_loaded();
            known &= loaded.is_some();
            loaded == Some(true)
        });
        match loaded {
            None if !known => Err(Restarting),
            loaded => Ok(loaded.map(|model| model.spec())),
        }
    }

    /// Returns the loaded models, by name and version.
    ///
    /// # Errors
    ///
    /// Returns [`Restarting`] if one is unknown.
    pub fn loaded(&self) -> Result<Vec<&Arc<ModelSpec>>, Restarting> {
        let models = self.0.iter().filter_map(|model| match model.is_loaded() {
            Some(loaded) => loaded.then(|| Ok(model.spec())),
            None => Some(Err(Restarting)),
        });
        models.collect()
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

    #[derive(Debug)]
    struct Version(Arc<ModelSpec>, Option<bool>);

    impl LoadedModel for Version {
        fn spec(&self) -> &Arc<ModelSpec> {
            &self.0
        }

        fn is_loaded(&self) -> Option<bool> {
            self.1
        }
    }

    fn models(loaded: &[Option<bool>]) -> LoadedModels {
        let versions = (1..).zip(loaded).map(|(version, loaded)| {
            let spec = ModelSpec {
                version,
                ..IDENTITY.spec().unwrap()
            };
            let version: Arc<dyn LoadedModel> = Arc::new(Version(Arc::new(spec), *loaded));
            version
        });
        LoadedModels::new(versions.collect())
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
