use base64::Engine;
use pytriton_core::request::SmallVec;
use pytriton_core::testing::IDENTITY;
use pytriton_protocol::tensor::{Element, Tensor};

use super::*;

fn format(encoding: VectorEncoding, dimensions: usize) -> VectorFormat {
    let mut spec = IDENTITY.spec().unwrap();
    let mut tokens = spec.outputs[0].clone();
    tokens.name = PROMPT_TOKENS.into();
    tokens.datatype = DataType::Int64;
    spec.outputs.push(tokens);
    VectorFormat {
        spec: Arc::new(spec),
        encoding,
        dimensions: NonZeroUsize::new(dimensions),
    }
}

fn tensor<T: Element>(shape: [usize; 2], elements: Vec<T>) -> TrackedTensor {
    Tensor::from_elements(shape.to_vec(), elements)
        .unwrap()
        .into()
}

/// A response with these vectors, each of two tokens.
fn response<const N: usize>(vectors: &[[f32; N]]) -> Response {
    let tokens = tensor([vectors.len(), 1], vec![2_i64; vectors.len()]);
    let vectors = tensor([vectors.len(), N], vectors.concat());
    Response::new(SmallVec::from_iter([(0, vectors), (1, tokens)]))
}

fn written(format: &VectorFormat, responses: &[Response]) -> Result<String, OpenAiError> {
    let mut json = JsonWriter::default();
    format.write(&mut json, responses)?;
    Ok(String::from_utf8(json.finish()).unwrap())
}

fn expected(vectors: &[&str], tokens: usize) -> String {
    let data = vectors.iter().enumerate().map(|(index, vector)| {
        format!(r#"{{"object":"embedding","index":{index},"embedding":{vector}}}"#)
    });
    let data = data.collect::<Vec<_>>().join(",");
    format!(
        r#"{{"object":"list","data":[{data}],"model":"Identity","usage":{{"prompt_tokens":{tokens},"total_tokens":{tokens}}}}}"#
    )
}

#[test]
fn vectors_of_all_batches_follow_each_other() {
    let format = format(VectorEncoding::Float, 0);
    let table: [(&[Response], &[&str]); 4] = [
        (&[], &[]),
        (&[response(&[[0.5, -1.0]])], &["[0.5,-1.0]"]),
        (
            &[response(&[[1.0], [2.0]]), response(&[[3.0]])],
            &["[1.0]", "[2.0]", "[3.0]"],
        ),
        (
            &[response(&[[1e-9, 0.1]]), response::<2>(&[])],
            &["[1e-9,0.1]"],
        ),
    ];
    for (responses, vectors) in table {
        let expected = expected(vectors, 2 * vectors.len());
        assert_eq!(written(&format, responses).unwrap(), expected);
    }
}

#[test]
fn base64_is_that_of_little_endian_numbers() {
    let format = format(VectorEncoding::Base64, 0);
    // Less than one block, a block, more, and two blocks.
    for count in [1_u8, 2, 3, 47, 48, 49, 96, 100] {
        let vector: Vec<f32> = (0..count).map(|number| f32::from(number) / 7.0).collect();
        let vectors = tensor([1, vector.len()], vector.clone());
        let response = Response::new(SmallVec::from_iter([(0, vectors)]));
        let bytes: Vec<u8> = vector
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let text = format!("\"{}\"", STANDARD.encode(bytes));
        let expected = expected(&[&text], 0);
        assert_eq!(written(&format, &[response]).unwrap(), expected, "{count}");
    }
}

#[test]
fn shortened_vectors_have_length_one() {
    let table: [(usize, [f32; 3], &str); 5] = [
        (3, [3.0, 4.0, 0.0], "[3.0,4.0,0.0]"),
        (2, [3.0, 4.0, 12.0], "[0.6,0.8]"),
        (1, [-2.0, 0.0, 0.0], "[-1.0]"),
        (2, [0.0, 0.0, 1.0], "[0.0,0.0]"),
        (2, [1e38, 0.0, 0.0], "[1.0,0.0]"),
    ];
    for (dimensions, vector, expected_vector) in table {
        let format = format(VectorEncoding::Float, dimensions);
        let json = written(&format, &[response(&[vector])]).unwrap();
        let found: serde_json::Value = serde_json::from_str(&json).unwrap();
        let found: Vec<f64> =
            serde_json::from_value(found["data"][0]["embedding"].clone()).unwrap();
        let expected: Vec<f64> = serde_json::from_str(expected_vector).unwrap();
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-6, "{json}");
        }
    }
    let error = written(
        &format(VectorEncoding::Base64, 4),
        &[response(&[[1.0, 2.0]])],
    )
    .unwrap_err();
    assert_eq!(error.status(), 400);
    let text = "Invalid value for 'dimensions': the vectors of this model have 2 numbers.";
    assert_eq!(error.to_string(), text);
}

#[test]
fn outputs_that_are_not_vectors_are_refused() {
    let format = format(VectorEncoding::Float, 0);
    let outputs = [
        None,
        Some(tensor([1, 2], vec![1.0, f32::NAN])),
        Some(tensor([1, 2], vec![f32::INFINITY, 1.0])),
        Some(tensor([1, 1], vec![1_i32])),
        Some(tensor([1, 0], Vec::<f32>::new())),
        Some(
            Tensor::from_elements(vec![1, 1, 1], vec![1.0_f32])
                .unwrap()
                .into(),
        ),
    ];
    for output in outputs {
        let outputs = output.map(|output| (0, output));
        let response = Response::new(SmallVec::from_iter(outputs));
        let error = written(&format, std::slice::from_ref(&response)).unwrap_err();
        let model = "Identity".into();
        assert_eq!(error, OpenAiError::NoVectors { model }, "{response:?}");
    }
}
