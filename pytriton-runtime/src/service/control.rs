use std::sync::Arc;

use crate::kserve::LoadParameters;
use crate::model::VersionPolicy;
use crate::repository::{IndexEntry, changed};

use super::{AppState, Error};

impl AppState {
    /// Returns the repository index: all versions, or only those that are ready.
    pub fn index(&self, only_ready: bool) -> Vec<IndexEntry> {
        self.models.index(only_ready)
    }

    /// Loads or reloads a model.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Control`].
    pub async fn load(&self, name: &str, parameters: LoadParameters) -> Result<(), Error> {
        let parameters = Arc::new(parameters);
        let change = move |registration, policy: Option<&VersionPolicy>| {
            changed(registration, &parameters, policy)
        };
        Ok(self.models.load_named(name, change).await?)
    }

    /// Unloads a model.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Control`].
    pub async fn unload(&self, name: &str) -> Result<(), Error> {
        Ok(self.models.unload_named(name)?)
    }
}
