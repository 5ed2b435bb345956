use pytriton_core::model::ModelSpec;
use serde_json::{Value, json};

use crate::{Group, InfoRoute};

use super::components::{Components, described, reference};
use super::extension::extension;
use super::generate::{generate, supports_generate};
use super::infer::{Exchange, infer};
use super::names::{pascal, snake};
use super::paths::{Paths, Place, json_response};
use super::server::{body, information};

/// Adds the routes of a model without a version and, if there are several versions, with each
/// version. The versions are ascending.
pub(super) fn add(versions: &[&ModelSpec], paths: &mut Paths<'_>, components: &mut Components) {
    let Some((latest, older)) = versions.split_last() else {
        return;
    };
    let name = Prefix {
        path: format!("/v2/models/{}", latest.name),
        id: snake(&latest.name),
    };
    let base = pascal(&latest.name);
    let schemas = Schemas::new(latest, &base, components);
    schemas.put(latest, &name, extension(versions), paths);
    for model in older {
        let schemas = Schemas::new(model, &format!("{base}V{}", model.version), components);
        schemas.put(model, &name.version(model), None, paths);
    }
    if !older.is_empty() {
        schemas.put(latest, &name.version(latest), None, paths);
    }
}

/// The prefix of paths and names of a model's operations.
#[derive(Debug)]
struct Prefix {
    path: String,
    id: String,
}

impl Prefix {
    fn version(&self, model: &ModelSpec) -> Self {
        let Self { path, id } = self;
        let version = model.version;
        Self {
            path: format!("{path}/versions/{version}"),
            id: format!("{id}_v{version}"),
        }
    }
}

/// The schemas of a model.
#[derive(Debug)]
struct Schemas {
    /// `None` for a decoupled model.
    infer: Option<Exchange>,
    generate: Option<Exchange>,
}

impl Schemas {
    fn new(model: &ModelSpec, base: &str, components: &mut Components) -> Self {
        let generates = model.decoupled || supports_generate(model);
        Self {
            infer: (!model.decoupled).then(|| infer(model, base, components)),
            generate: generates.then(|| generate(model, base, components)),
        }
    }

    fn put(
        &self,
        model: &ModelSpec,
        prefix: &Prefix,
        mut extension: Option<Value>,
        paths: &mut Paths<'_>,
    ) {
        for route in InfoRoute::ALL {
            let row = route.row();
            if row.is_of_model {
                let place = place(model, prefix, ("get", row.path), row.id, route.group());
                let summary = format!("{} {}", row.summary, model.name);
                paths.put(place, information(&summary, row.response));
            }
        }
        let mut post = |name: &str, mut operation: Value| {
            if let Some(extension) = extension.take() {
                operation["x-pytriton-model"] = extension;
            }
            let path = format!("/{name}");
            let place = place(model, prefix, ("post", &path), name, Group::Inference);
            let operation = described(operation, &model.description);
            match name {
                "generate_stream" => paths.put_streamed(place, operation),
                _ => paths.put(place, operation),
            }
        };
        if let Some(exchange) = &self.infer {
            post("infer", inferred(model, exchange));
        }
        if let Some(exchange) = &self.generate {
            if !model.decoupled {
                post("generate", generated(model, exchange));
            }
            post("generate_stream", streamed(model, exchange));
        }
    }
}

fn place<'a>(
    model: &'a ModelSpec,
    prefix: &Prefix,
    (method, path): (&'static str, &str),
    operation: &str,
    group: Group,
) -> Place<'a> {
    Place {
        method,
        path: format!("{}{path}", prefix.path),
        id: format!("{}_{operation}", prefix.id),
        tag: &model.name,
        group,
    }
}

fn inferred(model: &ModelSpec, exchange: &Exchange) -> Value {
    let length = json!({
        "name": "Inference-Header-Content-Length",
        "in": "header",
        "schema": { "type": "integer", "minimum": 0 },
        "description": "The length of the JSON part of the body in bytes, if elements follow it.",
    });
    let bytes = || {
        let schema = json!({ "type": "string", "format": "binary" });
        json!({ "schema": described(schema, "The same JSON, followed by the elements of the tensors with `binary_data_size`.") })
    };
    let mut request = body(true, &exchange.request);
    request["content"]["application/octet-stream"] = bytes();
    let mut responses = json_response("The outputs.", &exchange.response);
    responses["200"]["content"]["application/octet-stream"] = bytes();
    json!({
        "summary": format!("Ask {}", model.name),
        "parameters": [length],
        "requestBody": request,
        "responses": responses,
    })
}

fn generated(model: &ModelSpec, exchange: &Exchange) -> Value {
    json!({
        "summary": format!("Call {} with plain JSON", model.name),
        "requestBody": body(true, &exchange.request),
        "responses": json_response("The outputs.", &exchange.response),
    })
}

fn streamed(model: &ModelSpec, exchange: &Exchange) -> Value {
    let schema = json!({
        "type": "string",
        "contentMediaType": "text/event-stream",
        "contentSchema": { "anyOf": [&exchange.response, reference("Error")] },
    });
    let response = json!({
        "description": "Server-sent events. The data of each event is a response, or the error that ends the stream.",
        "content": { "text/event-stream": { "schema": schema } },
    });
    json!({
        "summary": format!("Call {} with plain JSON, and stream its responses", model.name),
        "requestBody": body(true, &exchange.request),
        "responses": { "200": response },
    })
}
