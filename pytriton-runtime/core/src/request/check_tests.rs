//! Checks of requests, in Triton's order and with its messages.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::memory_budget::MemoryBudget;
use crate::model::{ModelSpec, TensorDeclaration};
use crate::registry::ModelDeclaration;
use crate::status::Status;
use crate::tensor::DataType;
use crate::testing::{IDENTITY, computing, fp32, infer_request};

use super::{
    Identity, InferInput, InferRequest, ParameterValue, Request, RequestError, RequestedOutput,
};

const FP32: TensorDeclaration = TensorDeclaration {
    name: "x",
    datatype: DataType::Fp32,
    rank: Some(2),
    shape: Some(&[2]),
    optional: false,
    description: "",
    example: &[],
    labels: "",
};
const WORDS: TensorDeclaration = TensorDeclaration {
    name: "words",
    datatype: DataType::Bytes,
    shape: None,
    optional: true,
    ..FP32
};

fn spec() -> Arc<ModelSpec> {
    let declaration = ModelDeclaration {
        inputs: &[FP32, WORDS],
        ..IDENTITY
    };
    Arc::new(declaration.spec().unwrap())
}

fn x(shape: &[i64], values: usize) -> InferInput {
    InferInput {
        name: "x".to_owned(),
        datatype: DataType::Fp32,
        shape: shape.to_vec(),
        data: fp32(&vec![1.0; values]),
    }
}

fn words(shape: &[i64], data: &'static [u8]) -> InferInput {
    InferInput {
        name: "words".to_owned(),
        datatype: DataType::Bytes,
        shape: shape.to_vec(),
        data: Bytes::from_static(data),
    }
}

fn check(inputs: Vec<InferInput>, outputs: &[&str]) -> Result<Request, String> {
    let output = |name: &&str| RequestedOutput {
        name: (*name).to_owned(),
        ..RequestedOutput::default()
    };
    let request = InferRequest {
        id: "7".to_owned(),
        inputs,
        outputs: outputs.iter().map(output).collect(),
        ..InferRequest::new(crate::memory_budget::MemoryPermit::unlimited())
    };
    Request::check(&spec(), request).map_err(|error| error.to_string())
}

#[test]
fn cached_models_receive_neither_client_nor_parameters() {
    for cached in [false, true] {
        let mut spec = IDENTITY.spec().unwrap();
        spec.call_options.response_cache = cached;
        let client = Identity::default().with_token("alice");
        let mut request = infer_request(1, 0.0);
        request.identity = client.clone();
        request.parameters.insert("key", ParameterValue::Int64(1));
        let request = Request::check(&Arc::new(spec), request).unwrap();
        let expected = if cached { Identity::ANONYMOUS } else { client };
        assert_eq!(*request.identity(), expected);
        let expected = (!cached).then_some(1);
        assert_eq!(request.parameters().int("key"), expected);
    }
}

#[test]
fn matching_requests_are_accepted() {
    let request = check(vec![x(&[3, 2], 6)], &["OUTPUT_1"]).unwrap();
    assert_eq!(request.batch_size(), 3);
    assert!(request.tensor("words").is_none());
    let both = vec![words(&[1, 1], &[1, 0, 0, 0, b'a']), x(&[1, 2], 2)];
    assert_eq!(check(both, &[]).unwrap().requested_outputs().count(), 1);
}

#[test]
fn mismatches_are_reported() {
    let renamed = |name: &str| InferInput {
        name: name.to_owned(),
        ..x(&[1, 2], 2)
    };
    let int = InferInput {
        datatype: DataType::Int32,
        ..x(&[1, 2], 2)
    };
    let one = || x(&[1, 2], 2);
    let table: Vec<(Vec<InferInput>, &str)> = vec![
        (
            vec![one(), one()],
            "[request id: 7] input 'x' already exists in request",
        ),
        (
            vec![],
            "[request id: 7] expected number of inputs between 1 and 2 but got 0 inputs for model 'Identity'. Got input(s) [], but missing required input(s) ['x']. Please provide all required input(s).",
        ),
        (
            vec![renamed("y")],
            "unexpected inference input 'y' for model 'Identity'",
        ),
        (
            vec![int],
            "[request id: 7] inference input 'x' data-type is 'INT32', but model 'Identity' expects 'FP32'",
        ),
        (
            vec![x(&[], 1)],
            "[request id: 7] input 'x' has no shape but model requires batch dimension for 'Identity'",
        ),
        (
            vec![x(&[9, 2], 18)],
            "[request id: 7] inference request batch-size must be <= 8 for 'Identity'",
        ),
        (
            vec![one(), words(&[2, 0], b"")],
            "[request id: 7] input 'x' batch size does not match other inputs for 'Identity'",
        ),
        (
            vec![words(&[2, 0], b""), one()],
            "[request id: 7] input 'words' batch size does not match other inputs for 'Identity'",
        ),
        (
            vec![words(&[1, 2], &[0, 0, 0, 0]), x(&[1, 2], 3)],
            "[request id: 7] input byte size mismatch for input 'x' for model 'Identity'. Expected 8, got 12",
        ),
        (
            vec![renamed("y"), renamed("z")],
            "unexpected inference input 'z' for model 'Identity'",
        ),
        (
            vec![x(&[1, -1], 2)],
            "[request id: 7] All input dimensions should be specified for input 'x' for model 'Identity', got [1,-1]",
        ),
        (
            vec![x(&[1, 2], 3)],
            "[request id: 7] input byte size mismatch for input 'x' for model 'Identity'. Expected 8, got 12",
        ),
        (
            vec![x(&[0, 2], 0)],
            "[request id: 7] input byte size mismatch for input 'x' for model 'Identity'. Expected 8, got 0",
        ),
        (
            vec![x(&[0, 2], 2)],
            "[request id: 7] inference request batch-size must be >= 1 for 'Identity', but input 'x' has no rows",
        ),
        (
            vec![one(), words(&[1, 1], &[0, 0])],
            "[request id: 7] incomplete string length indicator for inference input 'words' for model 'Identity', expecting 4 bytes but only 2 bytes available. Please make sure the string length indicator is in one buffer.",
        ),
        (
            vec![one(), words(&[1, 1], &[5, 0, 0, 0, 1])],
            "incomplete string data for inference input 'words', expecting string of length 5 but only 1 bytes available",
        ),
        (
            vec![one(), words(&[1, 2], &[0, 0, 0, 0])],
            "[request id: 7] expected 2 string elements for inference input 'words' for model 'Identity', got 1",
        ),
        (
            vec![one(), words(&[1, 1], &[0; 8])],
            "[request id: 7] unexpected number of string elements 2 for inference input 'words' for model 'Identity', expecting 1",
        ),
    ];
    for (inputs, expected) in table {
        assert_eq!(check(inputs, &[]).unwrap_err(), expected);
    }
    let shape = check(vec![x(&[2], 2)], &[]).unwrap_err();
    assert!(shape.starts_with("[request id: 7] unexpected shape for input 'x' for model 'Identity'. Expected [-1,2], got [2]. NOTE: "), "{shape}");
    let output = check(vec![one()], &["nope"]).unwrap_err();
    assert_eq!(
        output,
        "unexpected inference output 'nope' for model 'Identity'"
    );
}

#[test]
fn huge_dimensions_are_refused_without_overflow() {
    for shape in [
        [1, i64::MAX],
        [i64::MAX, 1],
        [i64::MAX, i64::MAX],
        [0, i64::MAX],
    ] {
        assert!(check(vec![x(&[1, 2], 2), words(&shape, b"")], &[]).is_err());
        assert!(check(vec![x(&shape, 2)], &[]).is_err());
    }
}

/// Comparing every pair would take a minute.
#[test]
fn checking_inputs_takes_linear_time() {
    let input = |number: usize| InferInput {
        name: format!("input {number}"),
        ..x(&[1, 2], 2)
    };
    let took = computing(|| {
        let many: Vec<InferInput> = (0..80_000).map(input).collect();
        let error = check(many.clone(), &[]).unwrap_err();
        assert!(error.contains("'input 0','input 1'"), "{error}");
        assert!(error.contains("'input 31',and 79968 more"), "{error}");
        let twice = many.into_iter().chain([input(70_000)]).collect();
        let error = check(twice, &[]).unwrap_err();
        assert!(error.contains("'input 70000'"), "{error}");
    });
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn part_of_an_input_keeps_the_memory_of_its_request_reserved() {
    const KIB: usize = 1 << 10;
    let budget = MemoryBudget::new(100 * KIB);
    let mut spec = IDENTITY.spec().unwrap();
    spec.max_batch_size = 8 << 10;
    let spec = Arc::new(spec);
    for (rows, counted) in [(1, 0), (KIB, 4 * KIB), (8 * KIB, 32 * KIB)] {
        let mut received = infer_request(1, 1.0);
        received.inputs[0].shape = vec![i64::try_from(rows).unwrap(), 1];
        received.inputs[0].data = fp32(&vec![1.0; rows]);
        received.memory = budget.permit(received.data_bytes()).unwrap();
        let request = Request::check(&spec, received).unwrap();
        assert_eq!(budget.reserved(), counted);
        let tensor = request.inputs()[0].clone().unwrap();
        drop(request);
        let part = crate::tensor::rows(&tensor, rows - 1, 1).unwrap();
        drop(tensor);
        assert_eq!(budget.reserved(), counted, "{rows} rows");
        drop(part);
        assert_eq!(budget.reserved(), 0);
    }
}

#[test]
fn inputs_without_a_reservation_are_reserved_or_refused() {
    const KIB: usize = 1 << 10;
    let mut spec = IDENTITY.spec().unwrap();
    spec.max_batch_size = 8 << 10;
    let spec = Arc::new(spec);
    for (limit, fits) in [(8 * KIB, true), (8 * KIB - 1, false)] {
        let budget = MemoryBudget::new(limit);
        let mut received = infer_request(2048, 1.0);
        received.memory = budget.empty_permit();
        match Request::check(&spec, received) {
            Ok(request) => {
                assert!(fits);
                let input = request.tensor("INPUT_1").cloned();
                drop(request);
                assert_eq!(budget.reserved(), 8 * KIB);
                drop(input);
            }
            Err(error) => {
                assert!(!fits && matches!(error, RequestError::Budget(_)), "{error}");
                assert_eq!(error.status(), Status::Exhausted);
            }
        }
        assert_eq!(budget.reserved(), 0);
    }
}
