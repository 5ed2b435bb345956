//! A plain tonic server that responds to an inference with its input, or with the requested number
//! of responses: the upper bound for gRPC on this machine.

mod known;
mod stream_models;

use std::convert::Infallible;
use std::io::Write;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt, StreamExt};
use pytriton_runtime::proto::model_infer_response::InferOutputTensor;
use pytriton_runtime::proto::{ModelInferRequest, ModelInferResponse, ModelStreamInferResponse};
use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::server::{Grpc, NamedService};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Status, Streaming};
use tonic_prost::ProstCodec;
use tower::{Service, service_fn};

/// The message size limit, equal to that of our server.
const LARGEST: usize = 64 << 20;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    writeln!(std::io::stdout(), "  grpc     {address}\nready")?;
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let server = Server::builder().add_service(Echo);
    let served = server.serve_with_incoming(incoming).await;
    served.map_err(std::io::Error::other)
}

#[derive(Debug, Clone)]
struct Echo;

impl NamedService for Echo {
    const NAME: &'static str = "inference.GRPCInferenceService";
}

impl Service<Request<Body>> for Echo {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        // One boxed future per route, as in generated code, so that none has the size of the
        // largest.
        match request.uri().path() {
            "/inference.GRPCInferenceService/ModelInfer" => Box::pin(infer(request).map(Ok)),
            "/inference.GRPCInferenceService/ModelStreamInfer" => {
                Box::pin(infer_stream(request).map(Ok))
            }
            _ => Box::pin(known::answer(request).map(Ok)),
        }
    }
}

async fn infer(request: Request<Body>) -> Response<Body> {
    let service = service_fn(async |request: tonic::Request<ModelInferRequest>| {
        Ok(tonic::Response::new(echo(request.into_inner())))
    });
    let mut grpc = Grpc::new(ProstCodec::default())
        .apply_max_message_size_config(Some(LARGEST), Some(LARGEST));
    grpc.unary(service, request).await
}

async fn infer_stream(request: Request<Body>) -> Response<Body> {
    type ResponseStream = BoxStream<'static, Result<ModelStreamInferResponse, Status>>;

    let service = service_fn(
        async |request: tonic::Request<Streaming<ModelInferRequest>>| {
            let responses = request.into_inner().flat_map(|message| match message {
                Ok(message) if message.model_name == stream_models::MODEL => {
                    stream_models::responses(&message).map(Ok).boxed()
                }
                Ok(message) if message.model_name == stream_models::BLOCKING => {
                    stream_models::responses_from_thread(&message)
                        .map(Ok)
                        .boxed()
                }
                message => stream::iter([message.map(|message| streamed(echo(message)))]).boxed(),
            });
            let responses: ResponseStream = responses.boxed();
            Ok(tonic::Response::new(responses))
        },
    );
    let mut grpc = Grpc::new(ProstCodec::default())
        .apply_max_message_size_config(Some(LARGEST), Some(LARGEST));
    grpc.streaming(service, request).await
}

fn streamed(answer: ModelInferResponse) -> ModelStreamInferResponse {
    ModelStreamInferResponse {
        infer_response: Some(answer),
        ..ModelStreamInferResponse::default()
    }
}

fn echo(message: ModelInferRequest) -> ModelInferResponse {
    if message.model_name == stream_models::ONCE {
        return stream_models::response();
    }
    let outputs = message.inputs.into_iter().map(|input| InferOutputTensor {
        name: known::OUTPUT.to_owned(),
        datatype: input.datatype,
        shape: input.shape,
        ..InferOutputTensor::default()
    });
    ModelInferResponse {
        model_name: message.model_name,
        model_version: known::VERSION.to_owned(),
        id: message.id,
        outputs: outputs.collect(),
        raw_output_contents: message.raw_input_contents,
        ..ModelInferResponse::default()
    }
}
