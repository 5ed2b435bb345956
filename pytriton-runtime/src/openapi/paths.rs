use serde_json::{Map, Value, json};

use crate::access::Group;

use super::Doors;
use super::names::Names;

/// The paths of a document.
#[derive(Debug)]
pub(super) struct Paths<'a> {
    doors: &'a Doors,
    names: Names,
    paths: Map<String, Value>,
}

/// Where an operation stands.
#[derive(Debug)]
pub(super) struct Place<'a> {
    pub(super) method: &'static str,
    pub(super) path: String,
    /// What it shall be called.
    pub(super) id: String,
    /// What it is shown with.
    pub(super) tag: &'a str,
    pub(super) group: Group,
}

impl<'a> Paths<'a> {
    pub(super) fn new(doors: &'a Doors) -> Self {
        Self {
            doors,
            names: Names::default(),
            paths: Map::new(),
        }
    }

    /// Adds an operation with what all of them have, where it is answered: a name, what opens it, and its errors.
    pub(super) fn put(&mut self, place: Place<'_>, mut operation: Value) {
        if !self.doors.answers(&place.path) {
            return;
        }
        operation["operationId"] = self.names.pick(&place.id).into();
        operation["tags"] = json!([place.tag]);
        if let Some(security) = self.doors.security(place.group) {
            operation["security"] = security;
        }
        for (status, name) in [("4XX", "Refused"), ("5XX", "Failed")] {
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

/// The responses that operations share.
pub(super) fn responses() -> Value {
    let error = |description| {
        let schema = json!({ "$ref": "#/components/schemas/Error" });
        json!({ "description": description, "content": { "application/json": { "schema": schema } } })
    };
    json!({
        "Refused": error("The request is refused."),
        "Failed": error("The server or the model has failed, or takes no requests now."),
    })
}

/// An answer of JSON, as the responses of an operation.
pub(super) fn answer(description: &str, schema: &Value) -> Value {
    let content = json!({ "application/json": { "schema": schema } });
    json!({ "200": { "description": description, "content": content } })
}

/// An answer that is its status.
pub(super) fn done(description: &str) -> Value {
    json!({ "200": { "description": description } })
}
