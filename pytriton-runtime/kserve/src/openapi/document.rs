use pytriton_core::model::ModelSpec;
use serde_json::{Value, json};

use super::components::{Components, described};
use super::paths::{Paths, responses};
use super::shared::schemas;
use super::{ServedRoutes, model, server};

/// Creates the OpenAPI document of a server with these models.
pub fn document<'a>(
    models: impl IntoIterator<Item = &'a ModelSpec>,
    routes: &ServedRoutes,
) -> Value {
    let mut models: Vec<&ModelSpec> = models.into_iter().collect();
    models.sort_by(|one, other| (&one.name, one.version).cmp(&(&other.name, other.version)));
    let mut components = Components::new(schemas());
    let mut paths = Paths::new(routes);
    let mut tags = Vec::new();
    server::add(&mut paths, routes.explicit);
    for versions in models.chunk_by(|one, other| one.name == other.name) {
        if let Some(latest) = versions.last() {
            let tag = json!({ "name": &*latest.name });
            tags.push(described(tag, &latest.description));
        }
        model::add(versions, &mut paths, &mut components);
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "pytriton",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The models of a server, over the HTTP protocol of KServe v2 and Triton Inference Server.",
        },
        "tags": tags,
        "paths": paths.finish(),
        "components": {
            "schemas": components.finish(),
            "responses": responses(),
            "securitySchemes": routes.schemes(),
        },
    });
    if let Some(ports) = &routes.ports {
        document["x-pytriton-ports"] = json!(ports);
    }
    document
}
