use std::sync::Arc;

use crate::repository::Repository;
use crate::{HeaderForward, Limits};

/// What the door needs to know.
#[derive(Debug, Clone)]
pub struct GrpcState {
    /// The models.
    pub repository: Arc<Repository>,
    /// The server's limits.
    pub limits: Limits,
    /// Which metadata become parameters.
    pub forward: HeaderForward,
}
