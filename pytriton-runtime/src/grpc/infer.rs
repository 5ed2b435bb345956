use tonic::metadata::{KeyAndValueRef, MetadataMap};

use crate::kserve::proto::{request, response, version};
use crate::proto::{ModelInferRequest, ModelInferResponse};
use crate::request::ParameterValue;
use crate::{Error, HeaderForward};

use super::GrpcState;

/// The metadata of a call that become parameters of its requests.
#[derive(Debug, Clone)]
pub(super) struct Forwarded(Vec<(String, String)>);

impl Forwarded {
    pub(super) fn new(forward: &HeaderForward, metadata: &MetadataMap) -> Self {
        if forward.is_empty() {
            return Self(Vec::new());
        }
        // A parameter is a text, so of binary metadata there is what is one.
        let forwarded = metadata.iter().filter_map(|pair| match pair {
            KeyAndValueRef::Ascii(key, value) if forward.forwards(key.as_str()) => {
                Some((key.as_str().to_owned(), text(value.as_bytes())))
            }
            KeyAndValueRef::Binary(key, value) if forward.forwards(key.as_str()) => {
                Some((key.as_str().to_owned(), text(&value.to_bytes().ok()?)))
            }
            _ => None,
        });
        Self(forwarded.collect())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// One inference.
pub(super) async fn infer(
    state: &GrpcState,
    forwarded: &Forwarded,
    message: ModelInferRequest,
) -> Result<ModelInferResponse, Error> {
    let version = version(&message.model_name, &message.model_version)?;
    let model = state.repository.model(&message.model_name, version)?;
    let mut request = request(message, model.spec())?;
    for (name, value) in &forwarded.0 {
        let value = ParameterValue::String(value.clone());
        request.parameters.insert(name, value);
    }
    let (id, requested) = (request.id.clone(), request.outputs.clone());
    let outputs = model.infer(request).await?;
    Ok(response(model.spec(), id, &requested, outputs)?)
}

#[cfg(test)]
mod tests {
    use tonic::metadata::MetadataValue;

    use super::*;

    #[test]
    fn forwards_the_texts_whose_names_match() {
        let mut metadata = MetadataMap::new();
        metadata.insert("x-user", MetadataValue::from_static("a"));
        metadata.insert("y-user", MetadataValue::from_static("b"));
        metadata.insert_bin("x-user-bin", MetadataValue::from_bytes(b"c\xff"));
        let forward = HeaderForward::new("^x-").unwrap();
        let forwarded = Forwarded::new(&forward, &metadata);
        let mut forwarded: Vec<_> = forwarded.0.iter().map(|(n, v)| (&**n, &**v)).collect();
        forwarded.sort_unstable();
        assert_eq!(forwarded, [("x-user", "a"), ("x-user-bin", "c\u{fffd}")]);
        let none = Forwarded::new(&HeaderForward::default(), &metadata);
        assert!(none.0.is_empty());
    }
}
