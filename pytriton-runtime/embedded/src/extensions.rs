use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use axum::Router;
use pytriton_core::local_models::LocalModels;
use pytriton_engine::Addresses;

use crate::metrics::ProgramMetrics;

/// The parts that a program adds to its server.
#[derive(Clone, Default)]
pub struct Extensions {
    /// Adds routes and layers to the router of the HTTP port, whose fallback serves the models.
    pub router: Option<Arc<RouterExtension>>,
    /// Creates the program's own readiness check.
    pub ready: Option<Arc<ReadinessExtension>>,
    /// Metrics in addition to those of the server.
    pub metrics: Option<ProgramMetrics>,
}

/// A function that changes the router of the HTTP port.
pub type RouterExtension = dyn Fn(Router, Addresses, Weak<dyn LocalModels>) -> Router + Send + Sync;

/// A function that returns a check of the readiness of a program with these ports and models.
pub type ReadinessExtension =
    dyn Fn(Addresses, Weak<dyn LocalModels>) -> ReadinessCheck + Send + Sync;

/// A function that returns whether the program is ready. It must not block.
#[derive(Clone)]
pub struct ReadinessCheck(Arc<dyn Fn() -> bool + Send + Sync>);

impl ReadinessCheck {
    /// Creates a check.
    pub fn new(check: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(check))
    }

    /// Returns whether the program is ready. A panic means that it is not; the panic hook has
    /// reported it.
    pub(crate) fn passes(&self) -> bool {
        catch_unwind(AssertUnwindSafe(|| (self.0)())).unwrap_or(false)
    }
}

impl fmt::Debug for ReadinessCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadinessCheck").finish_non_exhaustive()
    }
}

impl Extensions {
    /// Returns the name of the first part that requires the embedded engine.
    pub fn embedded_part(&self) -> Option<&'static str> {
        match self {
            Self {
                router: Some(_), ..
            } => Some("router"),
            Self { ready: Some(_), .. } => Some("readiness check"),
            Self {
                metrics: Some(_), ..
            } => Some("metrics registry"),
            Self { .. } => None,
        }
    }
}

impl fmt::Debug for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extensions")
            .field("router", &self.router.is_some())
            .field("ready", &self.ready.is_some())
            .field("metrics", &self.metrics)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness_check_that_panics_does_not_pass() {
        for (check, expected) in [
            ((|| true) as fn() -> bool, true),
            (|| false, false),
            (|| panic!("poisoned"), false),
        ] {
            assert_eq!(ReadinessCheck::new(check).passes(), expected);
        }
    }
}
