use std::collections::BTreeMap;
use std::sync::Arc;

use super::Model;
use super::loaded_models::Models;
use super::repository_index::{Found, RepositoryIndex};
use super::state::State;

/// The changes to the serving versions of a model after a load.
#[derive(Debug)]
pub(super) struct Transition {
    /// Models that were replaced by ones with the same version.
    pub(super) replaced: Vec<Arc<Model>>,
    /// Models that the version policy no longer selects.
    pub(super) removed: BTreeMap<u32, Arc<Model>>,
}

impl Transition {
    /// Puts loaded models into service atomically, if the policy selects them from the versions
    /// that exist now. Versions may have been added or removed since the load began.
    pub(super) fn new(
        catalog: &mut RepositoryIndex,
        models: &mut Models,
        name: &Arc<str>,
        loaded: impl IntoIterator<Item = (Found, Model)>,
    ) -> Self {
        let loaded = loaded.into_iter();
        let loaded: Vec<_> = loaded
            .filter(|(found, _)| catalog.found(found).is_some())
            .collect();
        let taken = catalog.taken(name);
        let mut settled = Self {
            replaced: Vec::new(),
            removed: BTreeMap::new(),
        };
        let versions = models.entry(Arc::clone(name)).or_default();
        for (found, model) in loaded {
            let version = model.spec().version;
            let is_taken = taken.contains(&version);
            if let Some(state) = catalog.found(&found) {
                *state = match is_taken {
                    true => State::Serving,
                    false => State::unloaded(),
                };
            }
            if is_taken {
                let replaced = versions.insert(version, Arc::new(model));
                settled.replaced.extend(replaced);
            }
        }
        (*versions, settled.removed) = std::mem::take(versions)
            .into_iter()
            // A version that is being unbound is no longer in the catalog. It serves until its
            // replacements do.
            .partition(|(version, _)| {
                taken.contains(version) || catalog.state(name, *version).is_none()
            });
        if versions.is_empty() {
            models.remove(name);
        }
        settled
    }
}
