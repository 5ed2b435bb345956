use serde_json::{Value, json};

use crate::Group;

use super::components::reference;
use super::paths::{Paths, Place, done, json_response};

/// Adds the routes of the server itself and of all models.
pub(super) fn add(paths: &mut Paths<'_>, explicit: bool) {
    let mut put = |method, path: &str, id: &str, group, operation| {
        let place = Place {
            method,
            path: format!("/v2{path}"),
            id: id.to_owned(),
            tag: "server",
            group,
        };
        paths.put(place, operation);
    };
    let metadata = json!({
        "summary": "Server metadata",
        "responses": json_response("The name, the version and the extensions of the server.", &reference("ServerMetadata")),
    });
    put("get", "", "server_metadata", Group::Metadata, metadata);
    let live = json!({ "summary": "Liveness of the server", "responses": done("It does.") });
    put("get", "/health/live", "server_live", Group::Health, live);
    let ready = json!({ "summary": "Readiness of all models", "responses": done("They are.") });
    put("get", "/health/ready", "server_ready", Group::Health, ready);
    let statistics = json!({
        "summary": "Statistics of all models",
        "responses": json_response("The statistics of each model.", &reference("Statistics")),
    });
    put(
        "get",
        "/models/stats",
        "server_stats",
        Group::Statistics,
        statistics,
    );
    let ready = json!({ "ready": { "type": "boolean", "description": "Whether to return only models that are ready." } });
    let index = json!({
        "summary": "Index of the models",
        "requestBody": body(false, &json!({ "type": "object", "properties": ready })),
        "responses": json_response("The models, and the state of each version.", &reference("RepositoryIndex")),
    });
    put(
        "post",
        "/repository/index",
        "repository_index",
        Group::ModelRepository,
        index,
    );
    if !explicit {
        return;
    }
    for action in ["load", "unload"] {
        let parameters =
            json!({ "type": "object", "additionalProperties": { "type": ["string", "boolean"] } });
        let schema = json!({ "type": "object", "properties": { "parameters": parameters } });
        let name = json!({ "name": "model_name", "in": "path", "required": true, "schema": { "type": "string" } });
        let operation = json!({
            "summary": format!("Let a model {}", if action == "load" { "come" } else { "go" }),
            "parameters": [name],
            "requestBody": body(false, &schema),
            "responses": done("The operation succeeded."),
        });
        let path = format!("/repository/models/{{model_name}}/{action}");
        let id = format!("repository_{action}");
        put("post", &path, &id, Group::ModelRepository, operation);
    }
}

/// Returns a JSON request body.
pub(super) fn body(required: bool, schema: &Value) -> Value {
    json!({ "required": required, "content": { "application/json": { "schema": schema } } })
}
