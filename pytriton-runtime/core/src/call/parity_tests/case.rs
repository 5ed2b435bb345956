use std::cell::RefCell;
use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::Value;

use crate::call::{Context, Invocation, ModelError};
use crate::request::{Request, Response};

use super::model::model;
use super::recorded::Recorded;
use super::requests::{has_rows, request, response};
use super::tensors::array;

const TABLE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/parity/decorators.json"
));

/// A case of the table.
pub(super) struct Case {
    name: String,
    value: Value,
}

impl Case {
    /// Returns the cases of a family, which is the first part of their names.
    pub(super) fn all(family: &str) -> Vec<Self> {
        let table: Vec<Value> = serde_json::from_str(TABLE).unwrap();
        let cases = table.into_iter().map(|value| Self {
            name: value["name"].as_str().unwrap().to_owned(),
            value,
        });
        cases
            .filter(|case| case.name.split('/').next() == Some(family))
            .collect()
    }

    /// Returns the result of PyTriton, or ours if it differs intentionally. `None` if it is an
    /// error.
    fn expected(&self, part: &str) -> Option<&Vec<Value>> {
        let ours = self.value.get("ours");
        if part == "responses" && ours.is_some_and(|ours| ours.get("fails").is_some()) {
            return None;
        }
        let ours = ours.and_then(|ours| ours.get(part));
        ours.or(self.value.get(part))?.as_array()
    }

    /// Runs the case and compares all calls and responses.
    pub(super) fn run(&self) {
        let (model, decorators) = (&self.value["model"], &self.value["decorators"]);
        let (spec, steps) = self::model(model, decorators, self.expected("calls"));
        let spec = Arc::new(spec);
        let requests: Vec<Request> = array(&self.value["requests"])
            .iter()
            .filter(|request| has_rows(&spec, request))
            .map(|request| self::request(&spec, request))
            .collect();
        let instance = Recorded {
            calls: RefCell::new(self.expected("calls").cloned().unwrap_or_default()),
        };
        let callee = Invocation {
            sink: None,
            instance: &instance,
            context: &Context::new(Arc::clone(&spec), 0),
            steps: &steps,
        };
        let executed = callee.execute(&requests, &[]).now_or_never().unwrap();
        let name = &self.name;
        let Some(expected) = self.expected("responses") else {
            let answered = executed.results.iter().find(|result| result.is_ok());
            assert_eq!(answered, None, "{name}");
            return;
        };
        let requested = array(&self.value["requests"]);
        let expected = expected.iter().zip(requested);
        let expected = expected.filter(|(_, request)| has_rows(&spec, request));
        let expected = expected.map(|(response, _)| Ok(self::response(&spec, response)));
        let expected: Vec<Result<Response, ModelError>> = expected.collect();
        assert_eq!(executed.results, expected.into(), "{name}");
        let left = instance.calls.into_inner();
        assert!(left.is_empty(), "{name} makes no call of {left:?}");
    }
}
