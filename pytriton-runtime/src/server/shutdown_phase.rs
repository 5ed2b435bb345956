use tokio::sync::watch;

use crate::instance::FatalError;

/// An order to a server. Each one goes further than the one before. The text names its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ShutdownPhase {
    Serve,
    /// Complete accepted requests and end.
    Stop(&'static str),
    /// End at once.
    Abandon(&'static str),
}

/// Receives the orders of a server.
#[derive(Debug, Clone)]
pub(super) struct ShutdownReceiver(watch::Receiver<ShutdownPhase>);

impl ShutdownReceiver {
    pub(super) fn new(shutdown: watch::Receiver<ShutdownPhase>) -> Self {
        Self(shutdown)
    }

    /// Waits for an order to stop. Returns its origin.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe.
    pub(super) async fn stop(&mut self) -> &'static str {
        self.at_least(|order| order != ShutdownPhase::Serve).await
    }

    /// Waits for an order to end at once. Returns its origin.
    ///
    /// # Cancel safety
    ///
    /// This method is cancel safe.
    pub(super) async fn abandon(&mut self) -> &'static str {
        self.at_least(|order| matches!(order, ShutdownPhase::Abandon(_)))
            .await
    }

    /// Waits for an order to stop, or for a fatal error of a model, which it returns.
    pub(super) async fn until_over(
        &mut self,
        broken: impl Future<Output = Option<FatalError>>,
    ) -> Option<FatalError> {
        tokio::select! {
            signal = self.stop() => {
                tracing::info!(
                    signal,
                    "stopping: completing accepted requests, refusing new requests"
                );
                None
            }
            Some(fatal_error) = broken => {
                tracing::error!("stopping: {fatal_error}");
                Some(fatal_error)
            }
        }
    }

    async fn at_least(&mut self, far: impl Fn(ShutdownPhase) -> bool) -> &'static str {
        match self
            .0
            .wait_for(|order| far(*order))
            .await
            .map(|order| *order)
        {
            Ok(ShutdownPhase::Stop(who) | ShutdownPhase::Abandon(who)) => who,
            Ok(ShutdownPhase::Serve) => "",
            // The sender is gone, so no other order can arrive.
            Err(_) => "nobody",
        }
    }
}
