//! The calls that perf_analyzer makes before it starts.

use pytriton_runtime::proto::model_metadata_response::TensorMetadata;
use pytriton_runtime::proto::*;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::server::Grpc;
use tonic_prost::ProstCodec;
use tower::service_fn;

pub(crate) const OUTPUT: &str = "OUTPUT_1";
pub(crate) const VERSION: &str = "1";
const MODEL: &str = "Identity";
const INPUT: &str = "INPUT_1";

/// Responds to a call with a constant.
macro_rules! constant {
    ($asked:ty, $answer:expr, $request:expr) => {{
        let service =
            service_fn(async |_: tonic::Request<$asked>| Ok(tonic::Response::new($answer)));
        Grpc::new(ProstCodec::default())
            .unary(service, $request)
            .await
    }};
}

pub(crate) async fn answer(request: Request<Body>) -> Response<Body> {
    match request.uri().path().rsplit('/').next() {
        Some("ServerLive") => {
            constant!(
                ServerLiveRequest,
                ServerLiveResponse { live: true },
                request
            )
        }
        Some("ServerReady") => {
            constant!(
                ServerReadyRequest,
                ServerReadyResponse { ready: true },
                request
            )
        }
        Some("ModelReady") => {
            constant!(
                ModelReadyRequest,
                ModelReadyResponse { ready: true },
                request
            )
        }
        Some("ServerMetadata") => constant!(ServerMetadataRequest, server(), request),
        Some("ModelMetadata") => constant!(ModelMetadataRequest, metadata(), request),
        Some("ModelConfig") => constant!(ModelConfigRequest, config(), request),
        Some("ModelStatistics") => constant!(ModelStatisticsRequest, statistics(), request),
        _ => tonic::Status::unimplemented("").into_http(),
    }
}

fn server() -> ServerMetadataResponse {
    ServerMetadataResponse {
        name: "echo".to_owned(),
        version: VERSION.to_owned(),
        extensions: Vec::new(),
    }
}

fn metadata() -> ModelMetadataResponse {
    let tensor = |name: &str| TensorMetadata {
        name: name.to_owned(),
        datatype: "FP32".to_owned(),
        shape: vec![-1, -1],
    };
    ModelMetadataResponse {
        name: MODEL.to_owned(),
        versions: vec![VERSION.to_owned()],
        platform: "echo".to_owned(),
        inputs: vec![tensor(INPUT)],
        outputs: vec![tensor(OUTPUT)],
    }
}

fn config() -> ModelConfigResponse {
    let config = ModelConfig {
        name: MODEL.to_owned(),
        max_batch_size: 16,
        input: vec![ModelInput {
            name: INPUT.to_owned(),
            data_type: DataType::TypeFp32.into(),
            dims: vec![-1],
            ..ModelInput::default()
        }],
        output: vec![ModelOutput {
            name: OUTPUT.to_owned(),
            data_type: DataType::TypeFp32.into(),
            dims: vec![-1],
            ..ModelOutput::default()
        }],
        ..ModelConfig::default()
    };
    ModelConfigResponse {
        config: Some(config),
    }
}

fn statistics() -> ModelStatisticsResponse {
    let none = || Some(StatisticDuration::default());
    let statistics = ModelStatistics {
        name: MODEL.to_owned(),
        version: VERSION.to_owned(),
        inference_stats: Some(InferStatistics {
            success: none(),
            fail: none(),
            queue: none(),
            compute_input: none(),
            compute_infer: none(),
            compute_output: none(),
            cache_hit: none(),
            cache_miss: none(),
        }),
        ..ModelStatistics::default()
    };
    ModelStatisticsResponse {
        model_stats: vec![statistics],
    }
}
