use pytriton_core::statistics::FailureReason;
use pytriton_protocol::proto::infer_parameter::ParameterChoice;
use pytriton_protocol::proto::model_infer_request::InferRequestedOutputTensor;
use pytriton_protocol::proto::*;
use tokio::task::JoinSet;
use tonic::Code;
use tonic::codec::CompressionEncoding;

use crate::testing::fp32;

use super::{client, message, until};

#[tokio::test]
async fn infer_returns_outputs_and_parameters() {
    let (_models, mut client) = client().await;
    let response = client
        .model_infer(message("7", &[1.0, 2.0]))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (response.id.as_str(), response.model_version.as_str()),
        ("7", "3")
    );
    assert_eq!(response.outputs[0].name, "OUTPUT_1");
    assert_eq!(response.outputs[0].shape, [1, 2]);
    assert_eq!(response.raw_output_contents, [fp32(&[1.0, 2.0])]);

    let all = client
        .model_statistics(ModelStatisticsRequest::default())
        .await
        .unwrap();
    let counts: Vec<_> = all
        .into_inner()
        .model_stats
        .iter()
        .map(|model| model.inference_count)
        .collect();
    assert_eq!(counts, [0, 1]);
}

#[tokio::test]
async fn an_output_is_returned_as_classes_on_request() {
    let (_models, mut client) = client().await;
    let parameter_choice = Some(ParameterChoice::Int64Param(1));
    let output = InferRequestedOutputTensor {
        name: "OUTPUT_1".to_owned(),
        parameters: [(
            "classification".to_owned(),
            InferParameter { parameter_choice },
        )]
        .into(),
    };
    let message = ModelInferRequest {
        outputs: vec![output],
        ..message("", &[1.0, 2.0])
    };
    let response = client.model_infer(message).await.unwrap().into_inner();
    assert_eq!(response.outputs[0].datatype, "BYTES");
    assert_eq!(response.outputs[0].shape, [1, 1]);
    assert_eq!(response.raw_output_contents[0][4..], *b"2.000000:1");
}

#[tokio::test]
async fn failed_inference_has_the_status_of_its_error() {
    let (_models, mut client) = client().await;
    let unknown = ModelInferRequest {
        model_name: "Nope".to_owned(),
        ..message("", &[1.0])
    };
    let short = ModelInferRequest {
        raw_input_contents: vec![],
        ..message("", &[1.0])
    };
    let output = InferRequestedOutputTensor {
        name: "X".to_owned(),
        ..Default::default()
    };
    let output = ModelInferRequest {
        outputs: vec![output],
        ..message("", &[1.0])
    };
    let table = [
        (
            unknown,
            Code::NotFound,
            "Request for unknown model: 'Nope' is not found",
        ),
        (
            short,
            Code::InvalidArgument,
            "unable to find data for input tensor 'INPUT_1' for model 'Identity' in request.",
        ),
        (
            output,
            Code::InvalidArgument,
            "unexpected inference output 'X' for model 'Identity'",
        ),
        (
            message("", &[-3.0]),
            Code::Internal,
            "model 'Identity' failed: asked to fail",
        ),
        (
            message("", &[-1.0]),
            Code::Internal,
            "model 'Identity' panicked: asked to panic",
        ),
    ];
    for (message, code, text) in table {
        let status = client.model_infer(message).await.unwrap_err();
        assert_eq!((status.code(), status.message()), (code, text));
    }
}

#[tokio::test]
async fn a_message_above_the_limit_is_refused_compressed_or_not() {
    let (_models, client) = client().await;
    let large = vec![0.0; 2048];
    let refused = |status: tonic::Status| {
        let text = "request size exceeds the maximum allowed input size of 4096 bytes. Use --grpc-max-input-size to \
                    increase the limit.";
        assert_eq!(
            (status.code(), status.message()),
            (Code::ResourceExhausted, text)
        );
    };
    let plain = client
        .clone()
        .model_infer(message("", &large))
        .await
        .unwrap_err();
    refused(plain);
    for encoding in [CompressionEncoding::Gzip, CompressionEncoding::Deflate] {
        let mut client = client.clone().send_compressed(encoding);
        let bomb = client.model_infer(message("", &large)).await.unwrap_err();
        refused(bomb);
        client.model_infer(message("", &[0.0; 512])).await.unwrap();
    }
    let compressed = client.clone().send_compressed(CompressionEncoding::Gzip);
    for mut client in [client, compressed] {
        let messages = futures_util::stream::iter([message("", &large)]);
        let mut responses = client
            .model_stream_infer(messages)
            .await
            .unwrap()
            .into_inner();
        refused(responses.message().await.unwrap_err());
    }
}

#[tokio::test]
async fn a_disconnect_cancels_all_requests_of_the_client() {
    let (models, client) = client().await;
    let model = models.model("Identity", None).unwrap();
    // Each occupies the only instance for 50 ms, so that all but one wait.
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let mut client = client.clone();
        calls.spawn(async move { client.model_infer(message("", &[-4.0])).await });
    }
    until(|| model.totals().pending > 0).await;
    calls.abort_all();
    until(|| model.totals().pending == 0).await;
    let totals = model.totals();
    assert!(totals.failures[FailureReason::Canceled as usize] > 0);
    assert!(totals.execution_count < 20);
}
