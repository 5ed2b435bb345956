use serde_json::{Map, Value, json};

use crate::Group;

use super::ServedRoutes;
use super::names::Names;

/// The paths of a document.
#[derive(Debug)]
pub(super) struct Paths<'a> {
    routes: &'a ServedRoutes,
    names: Names,
    paths: Map<String, Value>,
}

/// The identification of an operation.
#[derive(Debug)]
pub(super) struct Place<'a> {
    pub(super) method: &'static str,
    pub(super) path: String,
    /// The preferred operation ID.
    pub(super) id: String,
    /// The tag under which it is grouped.
    pub(super) tag: &'a str,
    pub(super) group: Group,
}

impl<'a> Paths<'a> {
    pub(super) fn new(routes: &'a ServedRoutes) -> Self {
        Self {
            routes,
            names: Names::default(),
            paths: Map::new(),
        }
    }

    /// Adds an operation, with its ID, security and errors, if its path is served.
    pub(super) fn put(&mut self, place: Place<'_>, operation: Value) {
        self.put_with(place, operation, ERRORS);
    }

    /// Like [`put`](Self::put), if errors may also be the first event of a stream.
    pub(super) fn put_streamed(&mut self, place: Place<'_>, operation: Value) {
        self.put_with(place, operation, STREAMED_ERRORS);
    }

    fn put_with(&mut self, place: Place<'_>, mut operation: Value, errors: Errors) {
        if !self.routes.serves(&place.path) {
            return;
        }
        operation["operationId"] = self.names.pick(&place.id).into();
        operation["tags"] = json!([place.tag]);
        if let Some(security) = self.routes.security(place.group) {
            operation["security"] = security;
        }
        for (status, name) in errors {
            let reference = format!("#/components/responses/{name}");
            operation["responses"][status] = json!({ "$ref": reference });
        }
        let path = self.paths.entry(place.path).or_insert_with(|| json!({}));
        path[place.method] = operation;
    }

    pub(super) fn finish(self) -> Map<String, Value> {
        self.paths
    }
}

/// Statuses, and the names of the responses that describe them.
type Errors = [(&'static str, &'static str); 2];

const ERRORS: Errors = [("4XX", "Refused"), ("5XX", "Failed")];
const STREAMED_ERRORS: Errors = [("4XX", "StreamRefused"), ("5XX", "StreamFailed")];

/// Returns the shared responses.
///
/// Errors are JSON under two content types: like Triton, the server sends some of them as plain
/// text.
pub(super) fn responses() -> Value {
    let refused = "The request was refused.";
    let failed = "The server or the model failed, or does not accept requests at the moment.";
    let schema = json!({ "$ref": "#/components/schemas/Error" });
    let text =
        |kind| json!({ "type": "string", "contentMediaType": kind, "contentSchema": schema });
    let (plain, events) = (text("application/json"), text("text/event-stream"));
    let error = |description| {
        let content = json!({
            "application/json": { "schema": schema },
            "text/plain": { "schema": plain },
        });
        json!({ "description": description, "content": content })
    };
    let streamed = |description| {
        let mut response = error(description);
        response["content"]["text/event-stream"] = json!({ "schema": events });
        response
    };
    json!({
        "Refused": error(refused),
        "Failed": error(failed),
        "StreamRefused": streamed(refused),
        "StreamFailed": streamed(failed),
    })
}

/// Returns the responses of an operation with a JSON response.
pub(super) fn json_response(description: &str, schema: &Value) -> Value {
    let content = json!({ "application/json": { "schema": schema } });
    json!({ "200": { "description": description, "content": content } })
}

/// Returns the responses of an operation without a body.
pub(super) fn done(description: &str) -> Value {
    json!({ "200": { "description": description } })
}
