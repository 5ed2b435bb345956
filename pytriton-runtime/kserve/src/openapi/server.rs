use serde_json::{Value, json};

use crate::info_route::InfoResponse;
use crate::{Group, InfoRoute};

use super::components::reference;
use super::paths::{Paths, Place, done, json_response};

/// Adds the routes of the server itself and of all models.
pub(super) fn add(paths: &mut Paths<'_>, explicit: bool) {
    for route in InfoRoute::ALL {
        let row = route.row();
        if !row.is_of_model {
            let operation = information(row.summary, row.response);
            paths.put(place("get", row.path, row.id, route.group()), operation);
        }
    }
    let ready = json!({ "ready": { "type": "boolean", "description": "Whether to return only models that are ready." } });
    let index = json!({
        "summary": "Index of the models",
        "requestBody": body(false, &json!({ "type": "object", "properties": ready })),
        "responses": json_response("The models, and the state of each version.", &reference("RepositoryIndex")),
    });
    let group = Group::ModelRepository;
    let path = "/v2/repository/index";
    paths.put(place("post", path, "repository_index", group), index);
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
        let path = format!("/v2/repository/models/{{model_name}}/{action}");
        let id = format!("repository_{action}");
        paths.put(place("post", &path, &id, group), operation);
    }
}

fn place(method: &'static str, path: &str, id: &str, group: Group) -> Place<'static> {
    Place {
        method,
        path: path.to_owned(),
        id: id.to_owned(),
        tag: "server",
        group,
    }
}

/// Returns the operation of a route that describes the server or a model.
pub(super) fn information(summary: &str, response: InfoResponse) -> Value {
    let responses = match response {
        InfoResponse::Status(description) => done(description),
        InfoResponse::Shared(description, schema) => json_response(description, &reference(schema)),
        InfoResponse::Object(description, members) => {
            let schema = json!({ "type": "object", "description": members });
            json_response(description, &schema)
        }
    };
    json!({ "summary": summary, "responses": responses })
}

/// Returns a JSON request body.
pub(super) fn body(required: bool, schema: &Value) -> Value {
    json!({ "required": required, "content": { "application/json": { "schema": schema } } })
}
