use serde_json::{Value, json};

use crate::access::Group;

use super::components::reference;
use super::paths::{Paths, Place, answer, done};

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
        "summary": "What the server is",
        "responses": answer("Its name, its version, and the extensions that it has.", &reference("ServerMetadata")),
    });
    put("get", "", "server_metadata", Group::Metadata, metadata);
    let live = json!({ "summary": "Whether the server lives", "responses": done("It does.") });
    put("get", "/health/live", "server_live", Group::Health, live);
    let ready =
        json!({ "summary": "Whether all models are ready", "responses": done("They are.") });
    put("get", "/health/ready", "server_ready", Group::Health, ready);
    let statistics = json!({
        "summary": "What all models have done",
        "responses": answer("The statistics of each.", &reference("Statistics")),
    });
    put(
        "get",
        "/models/stats",
        "server_stats",
        Group::Statistics,
        statistics,
    );
    let ready = json!({ "ready": { "type": "boolean", "description": "Whether only models that are ready are wanted." } });
    let index = json!({
        "summary": "Which models there are",
        "requestBody": body(false, &json!({ "type": "object", "properties": ready })),
        "responses": answer("The models, and what state each version is in.", &reference("RepositoryIndex")),
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
            "responses": done("It is done."),
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
