use tokio::sync::watch;

use crate::runner::Breakdown;

/// What a server is told to do, each further than the one before; the text says by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Order {
    Serve,
    /// Answer what is accepted, and end.
    Stop(&'static str),
    /// End at once.
    Abandon(&'static str),
}

/// Where a server hears what it is told.
#[derive(Debug)]
pub(super) struct Orders(watch::Receiver<Order>);

impl Orders {
    pub(super) fn new(orders: watch::Receiver<Order>) -> Self {
        Self(orders)
    }

    /// Waits until it is told to stop; who says so.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost.
    pub(super) async fn stop(&mut self) -> &'static str {
        self.at_least(|order| order != Order::Serve).await
    }

    /// Waits until it is told to end at once; who says so.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost.
    pub(super) async fn abandon(&mut self) -> &'static str {
        self.at_least(|order| matches!(order, Order::Abandon(_)))
            .await
    }

    /// Waits until it is told to stop, or until a model is beyond repair, which it returns.
    pub(super) async fn until_over(
        &mut self,
        broken: impl Future<Output = Option<Breakdown>>,
    ) -> Option<Breakdown> {
        tokio::select! {
            signal = self.stop() => {
                tracing::info!(
                    signal,
                    "stopping: accepted requests are answered, new ones refused"
                );
                None
            }
            Some(breakdown) = broken => {
                tracing::error!("stopping: {breakdown}");
                Some(breakdown)
            }
        }
    }

    async fn at_least(&mut self, far: impl Fn(Order) -> bool) -> &'static str {
        match self
            .0
            .wait_for(|order| far(*order))
            .await
            .map(|order| *order)
        {
            Ok(Order::Stop(who) | Order::Abandon(who)) => who,
            Ok(Order::Serve) => "",
            // Nobody is left who could stop it otherwise.
            Err(_) => "nobody",
        }
    }
}
