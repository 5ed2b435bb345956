use std::ops::{Deref, DerefMut};

use parking_lot::MutexGuard;
use tokio::sync::watch;

use super::repository_index::RepositoryIndex;

/// A guard of the catalog. If the catalog was changed, dropping the guard announces a change of
/// readiness.
pub(super) struct CatalogGuard<'a> {
    catalog: MutexGuard<'a, RepositoryIndex>,
    changes: &'a watch::Sender<()>,
    is_changed: bool,
}

impl<'a> CatalogGuard<'a> {
    pub(super) fn new(
        catalog: MutexGuard<'a, RepositoryIndex>,
        changes: &'a watch::Sender<()>,
    ) -> Self {
        Self {
            catalog,
            changes,
            is_changed: false,
        }
    }
}

impl Deref for CatalogGuard<'_> {
    type Target = RepositoryIndex;

    fn deref(&self) -> &RepositoryIndex {
        &self.catalog
    }
}

impl DerefMut for CatalogGuard<'_> {
    fn deref_mut(&mut self) -> &mut RepositoryIndex {
        self.is_changed = true;
        &mut self.catalog
    }
}

impl Drop for CatalogGuard<'_> {
    fn drop(&mut self) {
        if self.is_changed {
            // Watchers compute the readiness after the lock is released.
            self.changes.send_replace(());
        }
    }
}
