use std::collections::BTreeMap;
use std::sync::Arc;

use super::Model;
use super::catalog::{Catalog, Found};
use super::set::Models;
use super::state::State;

/// What became of the versions of one model when some of them had been loaded.
#[derive(Debug)]
pub(super) struct Settled {
    /// Those that others of their number have taken the place of.
    pub(super) replaced: Vec<Arc<Model>>,
    /// Those that the policy takes no longer.
    pub(super) gone: BTreeMap<u32, Arc<Model>>,
}

impl Settled {
    /// Lets serve what was loaded, at one stroke, as far as the policy takes it of the versions that there are now: others may have come and
    /// gone since the load began.
    pub(super) fn new(
        catalog: &mut Catalog,
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
            gone: BTreeMap::new(),
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
        (*versions, settled.gone) = std::mem::take(versions)
            .into_iter()
            // One that is being taken out is forgotten already, and serves until others do in its place.
            .partition(|(version, _)| {
                taken.contains(version) || catalog.state(name, *version).is_none()
            });
        if versions.is_empty() {
            models.remove(name);
        }
        settled
    }
}
