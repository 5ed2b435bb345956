use pytriton_core::model::ModelSpec;
use pytriton_engine::access::default_routes;
use pytriton_kserve::configuration::{BACKEND, configuration as configure};
use pytriton_kserve::openapi::document;

/// The `config.pbtxt` of a model, and the same configuration as JSON and as protobuf.
pub fn configuration(spec: &ModelSpec) -> (String, Vec<u8>, Vec<u8>) {
    let message = configure(spec, BACKEND, None);
    (message.text(), message.json(), message.bytes())
}

/// The OpenAPI document of a server with these models.
pub fn openapi(models: &[ModelSpec]) -> serde_json::Value {
    document(models, &default_routes())
}
