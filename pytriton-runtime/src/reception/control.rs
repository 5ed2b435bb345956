use std::sync::Arc;

use crate::kserve::LoadParameters;
use crate::model::VersionPolicy;
use crate::serving::{IndexEntry, changed};

use super::{Error, Reception};

impl Reception {
    /// The models of the repository index, all or those that take requests.
    pub fn index(&self, only_ready: bool) -> Vec<IndexEntry> {
        self.models.index(only_ready)
    }

    /// Loads a model, anew where it serves.
    ///
    /// # Errors
    ///
    /// [`Error::Control`].
    pub async fn load(&self, name: &str, parameters: LoadParameters) -> Result<(), Error> {
        let parameters = Arc::new(parameters);
        let change = move |registration, policy: Option<&VersionPolicy>| {
            changed(registration, &parameters, policy)
        };
        Ok(self.models.load_named(name, change).await?)
    }

    /// Takes a model out.
    ///
    /// # Errors
    ///
    /// [`Error::Control`].
    pub async fn unload(&self, name: &str) -> Result<(), Error> {
        Ok(self.models.unload_named(name)?)
    }
}
