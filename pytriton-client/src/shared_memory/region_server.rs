use std::fmt::Debug;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::ClientError;

/// A server at which regions are registered.
pub(crate) trait RegionServer: Debug + Send + Sync {
    /// Unregisters a region.
    fn unregister<'a>(&'a self, region: &'a str) -> BoxFuture<'a, Result<(), ClientError>>;

    /// Returns the same server with new connections.
    fn reconnected(&self) -> Arc<dyn RegionServer>;
}
