use pytriton_core::request::Request;
use sha2::{Digest, Sha256};

/// Identifies requests that have the same response: their model, inputs and requested outputs.
///
/// Parameters, headers and IDs are not part of the key.
// A cryptographic hash, so that clients cannot construct collisions and inputs need not be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheKey([u8; 32]);

impl CacheKey {
    /// Returns the key of a request. `load` identifies the load of the model, because a reloaded
    /// model may respond differently.
    pub fn new(request: &Request, load: u64) -> Self {
        let model = request.model();
        let mut hash = KeyHash(Sha256::new());
        hash.0.update(load.to_le_bytes());
        hash.bytes(model.name.as_bytes());
        hash.number(model.version as usize);
        hash.number(request.requested_outputs().count());
        for output in request.requested_outputs() {
            hash.bytes(output.as_bytes());
        }
        for input in &model.inputs {
            let Some(tensor) = request.tensor(&input.name) else {
                continue;
            };
            hash.bytes(input.name.as_bytes());
            hash.bytes(tensor.datatype().name().as_bytes());
            hash.number(tensor.shape().len());
            for &size in tensor.shape() {
                hash.number(size);
            }
            hash.bytes(tensor.data());
        }
        Self(hash.0.finalize().into())
    }
}

/// Hashes values with unambiguous boundaries.
struct KeyHash(Sha256);

impl KeyHash {
    fn number(&mut self, number: usize) {
        self.0.update((number as u64).to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.update(bytes);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use bytes::Bytes;
    use pytriton_core::model::TensorDeclaration;
    use pytriton_core::registry::{ModelDeclaration, ModelOptions};
    use pytriton_core::request::{
        InferInput, InferRequest, ParameterValue, Parameters, RequestedOutput,
    };
    use pytriton_core::tensor::DataType;
    use pytriton_core::testing::IDENTITY;

    use super::*;

    const BYTES: TensorDeclaration = TensorDeclaration {
        name: "a",
        datatype: DataType::Bytes,
        rank: None,
        shape: Some(&[-1]),
        optional: true,
        description: "",
        example: &[],
        labels: "",
    };
    const OUTPUT: TensorDeclaration = TensorDeclaration {
        name: "y",
        optional: false,
        ..BYTES
    };
    const TWO: ModelDeclaration = ModelDeclaration {
        inputs: &[BYTES, TensorDeclaration { name: "b", ..BYTES }],
        outputs: &[
            OUTPUT,
            TensorDeclaration {
                name: "z",
                ..OUTPUT
            },
        ],
        ..IDENTITY
    };

    /// Returns a key without a request.
    pub(crate) fn numbered(number: u8) -> CacheKey {
        CacheKey([number; 32])
    }

    /// Returns an input with one row of strings.
    fn input(name: &str, texts: &[&str]) -> InferInput {
        let text = |text: &&str| {
            let length = u32::try_from(text.len()).unwrap().to_le_bytes();
            [&length, text.as_bytes()].concat()
        };
        InferInput {
            name: name.to_owned(),
            datatype: DataType::Bytes,
            shape: vec![1, texts.len().try_into().unwrap()],
            data: Bytes::from(texts.iter().flat_map(text).collect::<Vec<u8>>()),
        }
    }

    fn request(inputs: Vec<InferInput>, outputs: &[&str]) -> InferRequest {
        let output = |name: &&str| RequestedOutput {
            name: (*name).to_owned(),
            ..RequestedOutput::default()
        };
        InferRequest {
            inputs,
            outputs: outputs.iter().map(output).collect(),
            ..InferRequest::new(pytriton_core::memory_budget::MemoryPermit::unlimited())
        }
    }

    fn key(declaration: &ModelDeclaration, request: InferRequest) -> CacheKey {
        let spec = Arc::new(declaration.spec().unwrap());
        CacheKey::new(&Request::check(&spec, request).unwrap(), 0)
    }

    #[test]
    fn everything_that_affects_the_response_changes_the_key() {
        let second = ModelDeclaration {
            options: ModelOptions {
                version: 2,
                ..TWO.options
            },
            ..TWO
        };
        let other = ModelDeclaration {
            options: ModelOptions {
                name: "Other",
                ..TWO.options
            },
            ..TWO
        };
        let given = |name: &str, texts: &[&str]| request(vec![input(name, texts)], &[]);
        let both =
            |one: &str, two: &str| request(vec![input("a", &[one]), input("b", &[two])], &[]);
        let tall = |name: &str| {
            let mut input = input(name, &["1", "2"]);
            input.shape = vec![2, 1];
            request(vec![input], &[])
        };
        let table = [
            ("plain", key(&TWO, given("a", &["1", "2"]))),
            ("version", key(&second, given("a", &["1", "2"]))),
            ("model", key(&other, given("a", &["1", "2"]))),
            ("name", key(&TWO, given("b", &["1", "2"]))),
            ("shape", key(&TWO, tall("a"))),
            ("elements", key(&TWO, given("a", &["1", "3"]))),
            ("seam of elements", key(&TWO, given("a", &["12", ""]))),
            ("both", key(&TWO, both("1", "2"))),
            ("the other way round", key(&TWO, both("2", "1"))),
            ("seam of inputs", key(&TWO, both("12", ""))),
            (
                "one output",
                key(&TWO, request(vec![input("a", &["1", "2"])], &["y"])),
            ),
            (
                "other output",
                key(&TWO, request(vec![input("a", &["1", "2"])], &["z"])),
            ),
            ("nothing", key(&TWO, request(vec![], &[]))),
        ];
        let mut seen = HashMap::new();
        for (name, key) in table {
            assert_eq!(seen.insert(key, name), None, "{name}");
        }
    }

    #[test]
    fn ids_and_parameters_do_not_change_the_key() {
        let given = || request(vec![input("a", &["1"]), input("b", &["2"])], &[]);
        let plain = key(&TWO, given());
        let mut parameters = Parameters::default();
        parameters.insert("x", ParameterValue::Bool(true));
        let table = [
            InferRequest {
                id: "7".to_owned(),
                ..given()
            },
            InferRequest {
                parameters,
                ..given()
            },
            InferRequest {
                timeout_microseconds: 5,
                ..given()
            },
            request(vec![input("b", &["2"]), input("a", &["1"])], &[]),
            request(given().inputs, &["z", "y"]),
        ];
        for (index, request) in table.into_iter().enumerate() {
            assert_eq!(key(&TWO, request), plain, "{index}");
        }
    }
}
