use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

use super::Model;

/// The serving models, by name and version.
pub(super) type Models = BTreeMap<Arc<str>, BTreeMap<u32, Arc<Model>>>;

/// All loaded models. A model that [`change`](Self::change) removes from the map is draining from
/// then on, so a model with accepted requests is always either serving or draining.
#[derive(Debug, Default)]
pub(super) struct LoadedModels {
    /// Replaced as a whole, so that readers hold a lock only briefly.
    serving: Arc<Models>,
    /// Models that no longer serve but may have accepted requests.
    draining: Vec<Weak<Model>>,
}

/// All loaded models at one moment.
#[derive(Debug)]
pub(crate) struct LoadedSnapshot {
    pub(super) serving: Arc<Models>,
    /// Models that no longer serve and complete accepted requests.
    pub(crate) draining: Vec<Arc<Model>>,
}

impl LoadedModels {
    pub(super) fn serving(&self) -> &Arc<Models> {
        &self.serving
    }

    /// Changes the map of serving models. A panic of `change` can affect only a copy.
    pub(super) fn change<T>(&mut self, change: impl FnOnce(&mut Models) -> T) -> T {
        let mut changed = Models::clone(&self.serving);
        let result = change(&mut changed);
        self.draining.retain(|model| model.strong_count() > 0);
        for (name, versions) in &*self.serving {
            let next = changed.get(name);
            let removed = versions.iter().filter(|(version, model)| {
                let next = next.and_then(|versions| versions.get(version));
                next.is_none_or(|next| !Arc::ptr_eq(next, model))
            });
            let removed = removed.map(|(_, model)| Arc::downgrade(model));
            self.draining.extend(removed);
        }
        self.serving = Arc::new(changed);
        result
    }

    pub(super) fn snapshot(&self) -> LoadedSnapshot {
        LoadedSnapshot {
            serving: Arc::clone(&self.serving),
            draining: self.draining.iter().filter_map(Weak::upgrade).collect(),
        }
    }
}

impl LoadedSnapshot {
    /// Returns the serving models, ordered by name and version.
    pub(crate) fn serving(&self) -> impl Iterator<Item = &Arc<Model>> {
        self.serving.values().flat_map(BTreeMap::values)
    }

    /// Returns the serving and the draining models.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Model>> {
        self.serving().chain(&self.draining)
    }

    /// Returns whether a version is serving.
    pub(crate) fn serves(&self, name: &str, version: u32) -> bool {
        let versions = self.serving.get(name);
        versions.is_some_and(|versions| versions.contains_key(&version))
    }
}
