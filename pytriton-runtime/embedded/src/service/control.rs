use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::model::VersionPolicy;
use pytriton_kserve::LoadParameters;

use crate::repository::{CONFIG_MEMORY, changed};

use super::{AppState, Error};

impl AppState {
    /// Loads or reloads a model. `permit` reserves the memory of the parameters; the memory that
    /// parsing them takes is added to it.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Control`], or [`Error::Budget`] if the memory cannot be reserved.
    pub async fn load(
        &self,
        name: &str,
        parameters: LoadParameters,
        mut permit: MemoryPermit,
    ) -> Result<(), Error> {
        let bytes = parameters.config.as_ref().map_or(0, String::len);
        permit.grow(bytes.saturating_mul(CONFIG_MEMORY))?;
        // The load continues if the client is gone, so it keeps the reservation.
        let reserved = (parameters, permit);
        let change = move |registration, policy: Option<&VersionPolicy>| {
            let (parameters, _permit) = &reserved;
            changed(registration, parameters, policy)
        };
        Ok(self.models.load_named(name, bytes, change).await?)
    }
}
