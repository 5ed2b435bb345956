//! The order of models by their calls: a called model comes before its callers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::ModelSpec;

use super::{Flaw, Registration, Registry, RegistryError};

impl Registry {
    /// Checks that each model that is called exists with the expected signature, that models do not
    /// call each other in a cycle, and that calls inherit the client where it is needed.
    pub(super) fn check_calls(&self) -> Vec<RegistryError> {
        let served = self.served();
        let mut errors: Vec<_> = served
            .iter()
            .flat_map(|spec| served.callee_errors(spec))
            .collect();
        let called = served.called();
        let mut done = BTreeSet::new();
        for &model in called.keys() {
            let found = cycle(model, &called, &mut Vec::new(), &mut done);
            errors.extend(found.map(|models| RegistryError::CallCycle { models }));
        }
        errors.extend(self.lost_identities());
        errors
    }

    /// Checks the calls of all models as if a model were added while the others are served. Errors
    /// that exist without it are ignored: a model that is called may have been removed.
    ///
    /// # Errors
    ///
    /// Returns [`RegistryError::UnknownCallee`], [`RegistryError::OtherCallee`],
    /// [`RegistryError::CallCycle`], [`RegistryError::LostIdentity`] or [`RegistryError::NoState`].
    pub fn check_addition(&self, model: &Registration) -> Result<(), RegistryError> {
        let before = self.check_calls();
        let mut with = self.clone();
        let key = (Arc::clone(&model.spec.name), model.spec.version);
        with.models.insert(key, model.clone());
        let mut errors = with.check_calls();
        errors.retain(|error| !before.contains(error));
        errors.extend(model.missing_states());
        RegistryError::all(errors)
    }

    /// Returns the names of the models that satisfy the predicate, and of all that they call.
    pub fn with_callees(&self, is_included: impl Fn(&str) -> bool) -> BTreeSet<Arc<str>> {
        let names = self.iter().map(|spec| Arc::clone(&spec.name));
        let mut included: BTreeSet<Arc<str>> = names.filter(|name| is_included(name)).collect();
        // Callers come first, so that one pass is sufficient.
        let specs: Vec<&ModelSpec> = self.iter().map(|spec| &**spec).collect();
        for spec in callers_first(specs, |spec| spec).into_iter().flatten() {
            if included.contains(&spec.name) {
                let callees = spec
                    .callees
                    .iter()
                    .map(|callee| callee.name.as_str().into());
                included.extend(callees);
            }
        }
        included
    }

    /// Returns the served models that others call.
    pub fn called_models(&self) -> Self {
        let served = self.served();
        let is_called = |name: &str| served.iter().any(|spec| spec.calls(name));
        let models = served.models.iter();
        let models = models.filter(|(_, model)| is_called(&model.spec.name));
        let models = models.map(|(key, model)| (key.clone(), model.clone()));
        Self {
            models: models.collect(),
        }
    }

    fn callee_errors(&self, spec: &ModelSpec) -> Vec<RegistryError> {
        let errors = spec.callees.iter().filter_map(|expected| {
            let (model, location) = (Arc::clone(&spec.name), spec.location);
            let callee = expected.name.clone();
            let Some(found) = self.of_name(&callee).last() else {
                return Some(RegistryError::UnknownCallee {
                    model,
                    location,
                    callee,
                });
            };
            let mut found = found.signature();
            if expected.batching() && found.batching() {
                // Each request is checked against the actual limit.
                found.max_batch_size = expected.max_batch_size;
            }
            let mut changes = expected.changes(&found);
            changes.retain(|change| change.breaking);
            (!changes.is_empty()).then_some(RegistryError::OtherCallee {
                model,
                location,
                callee,
                changes,
            })
        });
        errors.collect()
    }

    /// The names of the models that each model calls, in any of its versions.
    fn called(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut called: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for spec in self.iter() {
            let names = spec.callees.iter().map(|callee| callee.name.as_str());
            called.entry(&spec.name).or_default().extend(names);
        }
        called
    }
}

/// Returns a cycle that is reachable from a model. `path` leads to the model, and `done` contains
/// the models whose calls have been followed.
fn cycle<'m>(
    model: &'m str,
    called: &BTreeMap<&'m str, BTreeSet<&'m str>>,
    path: &mut Vec<&'m str>,
    done: &mut BTreeSet<&'m str>,
) -> Option<Vec<String>> {
    if let Some(first) = path.iter().position(|other| *other == model) {
        let models = path[first..].iter().chain([&model]);
        return Some(models.map(|&model| model.to_owned()).collect());
    }
    if !done.insert(model) {
        return None;
    }
    path.push(model);
    let mut callees = called.get(model).into_iter().flatten();
    let found = callees.find_map(|callee| cycle(callee, called, path, done));
    path.pop();
    found
}

/// Splits models into groups so that each model follows those that it calls.
pub fn callees_first<T>(models: Vec<T>, spec: impl Fn(&T) -> &ModelSpec) -> Vec<Vec<T>> {
    grouped(models, |model, other| spec(model).calls(&spec(other).name))
}

/// Splits models into groups so that each model precedes those that it calls.
pub fn callers_first<T>(models: Vec<T>, spec: impl Fn(&T) -> &ModelSpec) -> Vec<Vec<T>> {
    grouped(models, |model, other| spec(other).calls(&spec(model).name))
}

/// Splits models into groups so that each model follows all that `follows` returns `true` for.
fn grouped<T>(models: Vec<T>, follows: impl Fn(&T, &T) -> bool) -> Vec<Vec<T>> {
    let mut groups = Vec::new();
    let mut rest = models;
    while !rest.is_empty() {
        let waits = |model| rest.iter().any(|other| follows(model, other));
        let waiting: Vec<bool> = rest.iter().map(waits).collect();
        // Models in a cycle, which a registry refuses, form the last group.
        let is_last = waiting.iter().all(|waits| *waits);
        let (group, next): (Vec<_>, Vec<_>) = rest
            .into_iter()
            .zip(waiting)
            .partition(|(_, waits)| is_last || !waits);
        groups.push(group.into_iter().map(|(model, _)| model).collect());
        rest = next.into_iter().map(|(model, _)| model).collect();
    }
    groups
}

impl ModelSpec {
    /// Returns the error of a function that runs on the threads of connections and calls models.
    pub(crate) fn inline_call_flaw(&self) -> Option<Flaw> {
        let flaw = self.call_options.inline && !self.callees.is_empty();
        flaw.then_some(Flaw::Option {
            option: "inline",
            help: "an `inline` function cannot wait for another model: remove `inline`, or the calls",
        })
    }

    fn calls(&self, name: &str) -> bool {
        self.callees.iter().any(|callee| callee.name == name)
    }
}

#[cfg(test)]
#[path = "call_order_tests.rs"]
mod tests;
