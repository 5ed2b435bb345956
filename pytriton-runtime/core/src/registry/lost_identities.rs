//! Calls that cannot inherit the client of a request.

use std::sync::Arc;

use crate::model::{CallMode, ModelSpec};

use super::{Registry, RegistryError};

impl Registry {
    /// Returns an error for each served model that calls a model which takes the identity of the
    /// client, itself or through others, but has none to pass on.
    ///
    /// This does not detect losses in raw functions or in calls with a `Call` of the state.
    pub(super) fn lost_identities(&self) -> Vec<RegistryError> {
        let served = self.served();
        let errors = served.iter().filter_map(|spec| {
            let help = spec.identity_loss()?;
            let called = served.with_callees(|name| *name == *spec.name);
            let mut others = served.iter().filter(|other| other.name != spec.name);
            let takes = |other: &ModelSpec| other.takes_identity && called.contains(&other.name);
            let callee = others.find(|other| takes(other))?;
            Some(RegistryError::LostIdentity {
                model: Arc::clone(&spec.name),
                location: spec.location,
                callee: Arc::clone(&callee.name),
                help,
            })
        });
        errors.collect()
    }
}

impl ModelSpec {
    /// Returns why calls of the function inherit no client, and what to do.
    fn identity_loss(&self) -> Option<&'static str> {
        if self.call_options.response_cache {
            return Some(
                "the response cache returns its response to every client: remove `response_cache`",
            );
        }
        match self.call {
            CallMode::Batch if !self.takes_identity => Some(
                "its calls combine requests of several clients: take `&Identity`, or write `by_identity()`, so that only requests of one client share a call",
            ),
            // A raw function passes on the client of each request with `Call::identity`.
            CallMode::Batch | CallMode::Request | CallMode::Raw => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registration;
    use crate::testing::IDENTITY;

    fn model(name: &str, calls: &[&str], change: impl FnOnce(&mut ModelSpec)) -> Registration {
        let mut model = IDENTITY.registration().unwrap();
        let signature = model.spec.signature();
        let spec = Arc::make_mut(&mut model.spec);
        spec.name = name.into();
        spec.callees = calls
            .iter()
            .map(|name| {
                let mut callee = signature.clone();
                callee.name = (*name).to_owned();
                callee
            })
            .collect();
        change(spec);
        model
    }

    fn errors(models: Vec<Registration>) -> Vec<String> {
        let mut registry = Registry::default();
        for model in models {
            registry.insert(model).unwrap();
        }
        match registry.check_served() {
            Ok(()) => Vec::new(),
            Err(error) => error.to_string().lines().map(str::to_owned).collect(),
        }
    }

    #[test]
    fn models_that_lose_the_client_are_reported() {
        let taker = || model("Taker", &[], |spec| spec.takes_identity = true);
        let request = |spec: &mut ModelSpec| spec.call = CallMode::Request;
        let cached = |spec: &mut ModelSpec| {
            spec.call = CallMode::Request;
            spec.call_options.response_cache = true;
        };
        let table = [
            ("one request", vec![model("A", &["Taker"], request)], None),
            (
                "raw",
                vec![model("A", &["Taker"], |spec| spec.call = CallMode::Raw)],
                None,
            ),
            (
                "of one client",
                vec![model("A", &["Taker"], |spec| spec.takes_identity = true)],
                None,
            ),
            (
                "batch",
                vec![model("A", &["Taker"], |_| {})],
                Some("its calls combine requests of several clients: take `&Identity`"),
            ),
            (
                "cached",
                vec![model("A", &["Taker"], cached)],
                Some("the response cache returns its response to every client"),
            ),
            (
                "through another model",
                vec![model("A", &["B"], cached), model("B", &["Taker"], request)],
                Some("the response cache returns its response to every client"),
            ),
            ("cached without calls", vec![model("A", &[], cached)], None),
        ];
        for (case, mut models, expected) in table {
            models.push(taker());
            let errors = errors(models);
            let Some(expected) = expected else {
                assert_eq!(errors, Vec::<String>::new(), "{case}");
                continue;
            };
            assert_eq!(errors.len(), 1, "{case}: {errors:?}");
            let start = "model 'A' at ";
            let calls = "calls model 'Taker', directly or through other models, which takes the identity of the client, but ";
            assert!(errors[0].starts_with(start), "{case}: {errors:?}");
            assert!(errors[0].contains(calls), "{case}: {errors:?}");
            assert!(errors[0].contains(expected), "{case}: {errors:?}");
        }
    }

    #[test]
    fn added_models_are_checked_too() {
        let mut registry = Registry::default();
        let taker = model("Taker", &[], |spec| spec.takes_identity = true);
        registry.insert(taker).unwrap();
        let caller = model("A", &["Taker"], |_| {});
        let error = registry.check_addition(&caller).unwrap_err().to_string();
        assert!(error.starts_with("model 'A' at "), "{error}");
    }
}
