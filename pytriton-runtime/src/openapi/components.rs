use serde_json::{Map, Value, json};

use super::names::Names;
use super::shared::schemas;

/// The schemas of a document, each under a name.
#[derive(Debug)]
pub(super) struct Components {
    names: Names,
    schemas: Map<String, Value>,
}

impl Components {
    /// Those that models share.
    pub(super) fn shared() -> Self {
        let mut components = Self {
            names: Names::default(),
            schemas: Map::new(),
        };
        for (name, schema) in schemas() {
            components.add(name, schema);
        }
        components
    }

    /// Adds a schema; what refers to it.
    pub(super) fn add(&mut self, wanted: &str, schema: Value) -> Value {
        let name = self.names.pick(wanted);
        let reference = reference(&name);
        self.schemas.insert(name, schema);
        reference
    }

    pub(super) fn finish(self) -> Map<String, Value> {
        self.schemas
    }
}

/// What refers to a schema that models share.
pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// The same with what it is, for people; nothing where nothing is said.
pub(super) fn described(mut schema: Value, description: &str) -> Value {
    if !description.is_empty() {
        schema["description"] = description.into();
    }
    schema
}

/// A parameter of a request or of an answer.
pub(super) fn scalar() -> Value {
    json!({ "type": ["string", "boolean", "number"] })
}
