use serde_json::{Map, Value, json};

use super::names::Names;

/// The named schemas of a document.
#[derive(Debug)]
pub(super) struct Components {
    names: Names,
    schemas: Map<String, Value>,
}

impl Components {
    /// Starts with the schemas that all models share.
    pub(super) fn new(shared: impl IntoIterator<Item = (&'static str, Value)>) -> Self {
        let mut components = Self {
            names: Names::default(),
            schemas: Map::new(),
        };
        for (name, schema) in shared {
            components.add(name, schema);
        }
        components
    }

    /// Adds a schema and returns a reference to it.
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

/// Returns a reference to a shared schema.
pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// Adds a description to a schema, unless it is empty.
pub(super) fn described(mut schema: Value, description: &str) -> Value {
    if !description.is_empty() {
        schema["description"] = description.into();
    }
    schema
}

/// Returns the schema of a request or response parameter.
pub(super) fn scalar() -> Value {
    json!({ "type": ["string", "boolean", "number"] })
}
