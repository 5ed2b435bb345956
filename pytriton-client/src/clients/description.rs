//! The model's configuration, fetched on demand.

use std::sync::Arc;
use std::time::Duration;

use crate::deadline::Deadline;
use crate::server::Server;
use crate::{ClientError, ModelConfig, Stage};

use super::core::Core;
use super::readiness;

impl Core {
    /// Returns the model's configuration. It is requested once, when the model is ready.
    pub(super) async fn config(&self) -> Result<Arc<ModelConfig>, ClientError> {
        let Self { retry_policy, .. } = self.open()?;
        if let Some(config) = self.config.get() {
            return Ok(Arc::clone(config));
        }
        let server = self.ready(retry_policy.init).await?;
        let deadline = Deadline::new(Stage::Request, retry_policy.request());
        self.describe(&server, deadline).await
    }

    /// Returns the configuration, and the deadline of an inference that includes fetching it. The
    /// time starts when the model is ready; a timeout that the request itself sets also covers the
    /// wait.
    pub(super) async fn begin(
        &self,
        own: Option<Duration>,
    ) -> Result<(Arc<ModelConfig>, Deadline), ClientError> {
        let Self { retry_policy, .. } = self.open()?;
        let limit = own.unwrap_or(retry_policy.inference);
        let mut deadline = Deadline::new(Stage::Inference, limit);
        if let Some(config) = self.config.get() {
            return Ok((Arc::clone(config), deadline));
        }
        let init = own.map_or(retry_policy.init, |own| own.min(retry_policy.init));
        let server = self.ready(init).await?;
        if own.is_none() {
            deadline = Deadline::new(Stage::Inference, limit);
        }
        Ok((self.describe(&server, deadline).await?, deadline))
    }

    /// Waits for a ready server, on behalf of all callers.
    async fn ready(&self, limit: Duration) -> Result<Arc<Server>, ClientError> {
        let deadline = Deadline::new(Stage::Readiness, limit);
        let mut found = deadline
            .within(async { Ok(self.found.lock().await) })
            .await?;
        if let Some(server) = &*found {
            return Ok(Arc::clone(server));
        }
        // Not nested in another timeout: if both expire together, the outer one could win, and its
        // message does not name a server.
        let server = readiness::wait(&self.servers, Some(&self.model), deadline).await?;
        *found = Some(Arc::clone(&server));
        Ok(server)
    }

    async fn describe(
        &self,
        server: &Arc<Server>,
        deadline: Deadline,
    ) -> Result<Arc<ModelConfig>, ClientError> {
        let fetch = || async {
            let config = self
                .retry_policy
                .within(deadline, || server.config(&self.model));
            config.await.map(Arc::new)
        };
        let described = deadline.within(self.config.get_or_try_init(fetch)).await;
        if described.is_err() {
            // The next caller searches for a ready server again. If another caller holds the lock,
            // it is searching already, possibly beyond the deadline of this call.
            if let Ok(mut found) = self.found.try_lock() {
                *found = None;
            }
        }
        described.cloned()
    }
}
