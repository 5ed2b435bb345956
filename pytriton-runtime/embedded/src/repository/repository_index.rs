use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pytriton_core::model::{ModelSpec, VersionPolicy};
use pytriton_core::registry::Registration;
use tokio::sync::{Mutex, OwnedMutexGuard, watch};

use super::state::{IndexEntry, State};

/// Counts the times that a version was bound or unloaded.
static GENERATIONS: AtomicU64 = AtomicU64::new(0);

/// The models that can be served, loaded or not, with the state of each version.
#[derive(Debug, Default)]
pub(super) struct RepositoryIndex(BTreeMap<Arc<str>, Entry>);

#[derive(Debug, Default)]
struct Entry {
    versions: BTreeMap<u32, Version>,
    /// The version policy, if a client has changed it.
    policy: Option<VersionPolicy>,
    /// Held while the model is being loaded.
    turn: Arc<Mutex<()>>,
    /// The number of unloads. Each ends all loads that were requested before.
    unloads: watch::Sender<u64>,
}

#[derive(Debug)]
struct Version {
    /// The model as it was bound, without changes by clients.
    registration: Registration,
    state: State,
    generation: u64,
}

/// A load requested by a client.
#[derive(Debug)]
pub(super) struct LoadTicket {
    turn: Arc<Mutex<()>>,
    then: u64,
    unloads: watch::Receiver<u64>,
}

impl LoadTicket {
    /// Waits for earlier loads to finish.
    pub(super) fn turn(&self) -> impl Future<Output = OwnedMutexGuard<()>> + Send + use<> {
        Arc::clone(&self.turn).lock_owned()
    }

    /// Waits until the model is unloaded or removed, which cancels the load.
    pub(super) async fn cancelled(&mut self) {
        let then = self.then;
        // An error means that the model was removed.
        let _ = self.unloads.wait_for(|unloads| *unloads > then).await;
    }
}

/// A version as a load found it.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) registration: Registration,
    generation: u64,
}

impl RepositoryIndex {
    /// Adds a version with a new generation.
    pub(super) fn insert(&mut self, registration: &Registration, state: State) -> Found {
        let spec = &registration.spec;
        let entry = self.0.entry(Arc::clone(&spec.name)).or_default();
        let generation = generation();
        let version = Version {
            registration: registration.clone(),
            state,
            generation,
        };
        entry.versions.insert(spec.version, version);
        Found {
            registration: registration.clone(),
            generation,
        }
    }

    /// Removes a version.
    pub(super) fn remove(&mut self, name: &str, version: u32) {
        if let Some(entry) = self.0.get_mut(name) {
            entry.versions.remove(&version);
            if entry.versions.is_empty() {
                self.0.remove(name);
            }
        }
    }

    /// Requests a load. Returns `None` if no model has this name.
    pub(super) fn ask(&self, name: &str) -> Option<LoadTicket> {
        let Entry { turn, unloads, .. } = self.0.get(name)?;
        let unloads = unloads.subscribe();
        let then = *unloads.borrow();
        Some(LoadTicket {
            turn: Arc::clone(turn),
            then,
            unloads,
        })
    }

    /// Returns the versions of a model.
    pub(super) fn find(&self, name: &str) -> Vec<Found> {
        let versions = self.0.get(name).into_iter();
        let versions = versions.flat_map(|entry| entry.versions.values());
        let found = versions.map(|version| Found {
            registration: version.registration.clone(),
            generation: version.generation,
        });
        found.collect()
    }

    /// Returns the specs of the versions of a model.
    fn specs(&self, name: &str) -> impl Iterator<Item = &ModelSpec> + Clone {
        let versions = self.0.get(name).into_iter();
        let versions = versions.flat_map(|entry| entry.versions.values());
        versions.map(|version| &*version.registration.spec)
    }

    /// Returns the version policy of a model, or `None` for Triton's default.
    pub(super) fn policy(&self, name: &str) -> Option<VersionPolicy> {
        let requested = self.0.get(name).and_then(|entry| entry.policy.clone());
        requested.or_else(|| VersionPolicy::among(self.specs(name)))
    }

    /// Sets the version policy requested by a client. `None` restores the policy of the bound
    /// versions.
    pub(super) fn set_policy(&mut self, name: &str, policy: Option<VersionPolicy>) {
        if let Some(entry) = self.0.get_mut(name) {
            entry.policy = policy;
        }
    }

    /// Returns the versions of a model that its policy selects.
    pub(super) fn taken(&self, name: &str) -> Vec<u32> {
        let versions: Vec<u32> = self.specs(name).map(|spec| spec.version).collect();
        match self.policy(name) {
            Some(policy) => policy.of(&versions),
            None => versions,
        }
    }

    /// Returns whether the policy would select a version among all existing ones.
    pub(super) fn selects(&self, spec: &ModelSpec) -> bool {
        let others = self.specs(&spec.name);
        let all = others
            .filter(|other| other.version != spec.version)
            .chain([spec]);
        let requested = self
            .0
            .get(&spec.name)
            .and_then(|entry| entry.policy.clone());
        let mut versions: Vec<u32> = all.clone().map(|spec| spec.version).collect();
        versions.sort_unstable();
        let policy = requested.or_else(|| VersionPolicy::among(all));
        policy.is_none_or(|policy| policy.of(&versions).contains(&spec.version))
    }

    /// Returns the state of a version, unless it was unloaded or bound again since it was found.
    pub(super) fn found(&mut self, found: &Found) -> Option<&mut State> {
        let ModelSpec { name, version, .. } = &*found.registration.spec;
        let version = self.0.get_mut(name)?.versions.get_mut(version)?;
        let is_same = version.generation == found.generation;
        is_same.then_some(&mut version.state)
    }

    /// Makes all loads of a model obsolete, including running ones.
    pub(super) fn outdate(&mut self, name: &str) {
        let Some(entry) = self.0.get_mut(name) else {
            return;
        };
        entry.unloads.send_modify(|unloads| *unloads += 1);
        for version in entry.versions.values_mut() {
            version.generation = generation();
            if version.state == State::Loading {
                version.state = State::unloaded();
            }
        }
    }

    /// Returns the versions of a model whose load has been requested.
    pub(super) fn tried(&self, name: &str) -> Vec<u32> {
        let entry = self.0.get(name).into_iter();
        let versions = entry.flat_map(|entry| &entry.versions);
        let versions = versions.filter(|(_, version)| version.state != State::New);
        versions.map(|(&number, _)| number).collect()
    }

    pub(super) fn state(&mut self, name: &str, version: u32) -> Option<&mut State> {
        let version = self.0.get_mut(name)?.versions.get_mut(&version)?;
        Some(&mut version.state)
    }

    /// Records that a version is unloading: it completes only accepted requests. Returns the number
    /// of the unload.
    pub(super) fn unloading(&mut self, name: &str, version: u32) -> u64 {
        let unloading = generation();
        if let Some(state) = self.state(name, version) {
            *state = State::Unloading(unloading);
        }
        unloading
    }

    /// Records that a version has completed all requests accepted before this unload.
    pub(super) fn unloaded(&mut self, name: &str, version: u32, unloading: u64) {
        if let Some(state) = self.state(name, version)
            && *state == State::Unloading(unloading)
        {
            *state = State::unloaded();
        }
    }

    /// Returns whether every version serves and is ready, or is not wanted. `ready` tests a serving
    /// version.
    pub(super) fn is_healthy(&self, ready: impl Fn(&str, u32) -> bool) -> bool {
        let entries = self.0.iter();
        let mut versions = entries.flat_map(|(name, entry)| {
            let versions = entry.versions.iter();
            versions.map(move |(&number, version)| (name, number, &version.state))
        });
        versions.all(|(name, number, state)| state.is_healthy(|| ready(name, number)))
    }

    /// Returns the repository index: all versions, or only those that are ready. `ready` tests a
    /// serving version.
    pub(super) fn index(
        &self,
        only_ready: bool,
        ready: impl Fn(&str, u32) -> bool,
    ) -> Vec<IndexEntry> {
        let mut index = Vec::new();
        for (name, entry) in &self.0 {
            let tried = entry.versions.iter();
            let tried = tried.filter(|(_, version)| version.state != State::New);
            let before = index.len();
            index.extend(tried.map(|(&number, version)| IndexEntry {
                name: Arc::clone(name),
                version: Some(version.state.indexed(number, || ready(name, number))),
            }));
            if index.len() == before {
                index.push(IndexEntry {
                    name: Arc::clone(name),
                    version: None,
                });
            }
        }
        if only_ready {
            index.retain(|entry| {
                let version = entry.version.as_ref();
                version.is_some_and(|version| version.state == "READY")
            });
        }
        index
    }
}

fn generation() -> u64 {
    GENERATIONS.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use pytriton_core::registry::{ModelDeclaration, ModelOptions};

    use crate::testing::IDENTITY;

    use super::*;

    #[test]
    fn state_determines_index_entry_and_readiness() {
        let table = [
            (State::New, true, "", true),
            (State::Loading, true, "LOADING ", false),
            (State::Serving, true, "READY ", true),
            (
                State::Serving,
                false,
                "UNAVAILABLE no instance is left",
                false,
            ),
            (State::Unloading(1), true, "UNLOADING ", false),
            (
                State::failed("Internal: no"),
                true,
                "UNAVAILABLE Internal: no",
                false,
            ),
            (State::unloaded(), true, "UNAVAILABLE unloaded", true),
        ];
        for (state, alive, line, well) in table {
            let mut catalog = RepositoryIndex::default();
            catalog.insert(&IDENTITY.registration().unwrap(), state.clone());
            let ready = |_: &str, _| alive;
            let index = catalog.index(false, ready);
            let state = index[0].version.as_ref();
            let state = state.map(|version| format!("{} {}", version.state, version.reason));
            assert_eq!(state.unwrap_or_default(), line);
            assert_eq!(catalog.is_healthy(ready), well, "{line}");
            let count = usize::from(line == "READY ");
            assert_eq!(catalog.index(true, ready).len(), count, "{line}");
        }
    }

    #[test]
    fn an_earlier_unload_does_not_affect_a_later_load() {
        let second = ModelDeclaration {
            options: ModelOptions {
                version: 2,
                ..IDENTITY.options
            },
            ..IDENTITY
        };
        let mut catalog = RepositoryIndex::default();
        catalog.insert(&IDENTITY.registration().unwrap(), State::Unloading(7));
        catalog.insert(&second.registration().unwrap(), State::Serving);
        for unloading in [6, 7] {
            catalog.unloaded("Identity", 1, unloading);
            catalog.unloaded("Identity", 2, unloading);
        }
        assert_eq!(catalog.state("Identity", 1), Some(&mut State::unloaded()));
        assert_eq!(catalog.state("Identity", 2), Some(&mut State::Serving));
        catalog.remove("Identity", 1);
        catalog.remove("Identity", 2);
        assert!(catalog.index(false, |_, _| true).is_empty() && catalog.ask("Identity").is_none());
    }
}
