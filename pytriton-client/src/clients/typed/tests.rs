use std::marker::PhantomData;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::{StreamExt, repeat_with};
use ndarray::{Array, Array2, Ix2};
use pytriton_protocol::signature::{ModelSignature, TensorSignature};
use pytriton_protocol::tensor::{DataType, Tensor};
use pytriton_protocol::typed::{Model, Once};

use crate::clients::responses::ResponseStream;
use crate::{ClientError, InferOptions, Outputs, Stage};

use super::signature_check::SignatureCheck;
use super::{AsyncTyped, TypedResponseStream};

#[derive(Debug)]
enum Linear {}

impl Model for Linear {
    type Arguments = (fn(Array<f32, Ix2>), fn(f32));
    type Outputs = Array<f32, Ix2>;
    type Responses = Once;

    fn signature() -> ModelSignature {
        ModelSignature::new("Linear", 16, false)
            .input(TensorSignature::new("x", DataType::Fp32, &[-1]))
            .input(TensorSignature::new("scale", DataType::Fp32, &[1]).first_value())
            .output(TensorSignature::new("y", DataType::Fp32, &[-1]))
    }
}

#[test]
fn defaults_are_not_allocated_for_too_many_rows() {
    let signature_check = SignatureCheck::new(Linear::signature());
    let inputs = |rows: usize| {
        let x = Tensor::new(DataType::Fp32, vec![rows, 0], Vec::new().into());
        let scale = Tensor::from_array(ndarray::arr0(2.0_f32));
        signature_check.inputs(&[Some(x.unwrap()), Some(scale.unwrap())])
    };
    assert!(inputs(16).is_ok());
    for rows in [17, 1 << 62] {
        let error = inputs(rows).unwrap_err().to_string();
        assert_eq!(
            error,
            format!("model Linear takes up to 16 rows, got {rows}")
        );
    }
}

#[tokio::test]
async fn first_timeout_includes_the_comparison() {
    // A server that accepts connections and never responds.
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    let client = AsyncTyped::<Linear>::builder(&url).build().unwrap();
    let limit = Duration::from_millis(50);
    let client = client.with(InferOptions::new().timeout(limit));
    let begin = Instant::now();
    let error = client.call(Array2::zeros((1, 1)), 2.0).await.unwrap_err();
    let ClientError::Timeout { stage, timeout, .. } = error else {
        panic!("{error}");
    };
    assert_eq!((stage, timeout), (Stage::Readiness, limit));
    assert!(begin.elapsed() < Duration::from_secs(60));
}

#[tokio::test]
async fn unreadable_response_ends_the_stream() {
    let held = Arc::new(());
    let asked = Arc::clone(&held);
    let responses = repeat_with(move || {
        let _ = &asked;
        Ok(Outputs::default())
    });
    let mut responses = TypedResponseStream::<Linear> {
        responses: Some(ResponseStream::of(responses)),
        signature_check: Arc::new(SignatureCheck::new(Linear::signature())),
        model: PhantomData,
    };
    let first = responses.next().await.unwrap().unwrap_err();
    assert_eq!(first.to_string(), "tensor `y`: the tensor is missing");
    assert_eq!(Arc::strong_count(&held), 1);
    assert!(responses.next().await.is_none());
}
