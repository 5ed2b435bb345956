use hyper::http::header::{CONTENT_TYPE, HeaderMap, HeaderValue, TE};
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Request, Uri, Version};
use prost::Message;
use pytriton_protocol::proto::grpc_inference_service_client::GrpcInferenceServiceClient;
use pytriton_protocol::proto::model_repository_parameter::ParameterChoice;
use pytriton_protocol::proto::{
    ModelConfigRequest, ModelInferRequest, ModelInferResponse, ModelMetadataRequest,
    ModelReadyRequest, ModelRepositoryParameter, ModelStatisticsRequest,
    RepositoryModelLoadRequest, RepositoryModelUnloadRequest, ServerLiveRequest,
    ServerReadyRequest,
};
use tonic::codec::CompressionEncoding::Gzip;
use tonic::metadata::{AsciiMetadataValue, KeyAndMutValueRef, MetadataKey, MetadataMap};

use crate::config::ModelConfig;
use crate::request::{InferRequest, Load, Model};
use crate::server::Link;
use crate::statistics::ModelStatistics;
use crate::transport::{Channel, Pieces};
use crate::{Address, ClientError, Outputs, gzip};

use super::answer;
use super::error::failed;
use super::message;
use super::request::{compressed, encode};
use super::streaming::Answers;

const INFERENCE: &str = "/inference.GRPCInferenceService/ModelInfer";

pub(super) type Client = GrpcInferenceServiceClient<Channel<tonic::body::Body>>;

/// A server over gRPC.
#[derive(Debug, Clone)]
pub(crate) struct GrpcTransport {
    channel: Channel<tonic::body::Body>,
    metadata: MetadataMap,
    /// What an inference begins with.
    inference: HeaderMap,
    /// Where inferences are sent to.
    to: Uri,
    gzip: bool,
}

impl GrpcTransport {
    pub(crate) fn new(address: &Address, link: &Link) -> Result<Self, ClientError> {
        let name = "triton-grpc-protocol-triton-access-token".to_owned();
        let token = link
            .access_token
            .as_ref()
            .map(|token| (name, token.clone()));
        let mut metadata = metadata(&token.into_iter().collect::<Vec<_>>())?;
        for pair in metadata.iter_mut() {
            if let KeyAndMutValueRef::Ascii(_, value) = pair {
                value.set_sensitive(true);
            }
        }
        let channel = Channel::new(address, &link.tls, link.connect_timeout)?;
        let mut inference = metadata.clone().into_headers();
        inference.insert(TE, HeaderValue::from_static("trailers"));
        inference.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        if link.gzip {
            inference.insert("grpc-encoding", HeaderValue::from_static("gzip"));
            inference.insert("grpc-accept-encoding", HeaderValue::from_static("gzip"));
        }
        let mut to = channel.origin().clone().into_parts();
        to.path_and_query = Some(PathAndQuery::from_static(INFERENCE));
        let to = Uri::from_parts(to).map_err(|error| ClientError::InvalidUrl {
            url: address.to_string(),
            reason: error.to_string(),
        })?;
        Ok(Self {
            channel,
            metadata,
            inference,
            to,
            gzip: link.gzip,
        })
    }

    /// The same with connections of its own.
    pub(crate) fn anew(&self) -> Self {
        Self {
            channel: self.channel.anew(),
            ..self.clone()
        }
    }

    pub(crate) fn address(&self) -> &str {
        self.channel.address()
    }

    pub(crate) async fn is_live(&self) -> Result<bool, ClientError> {
        let asked = self.request(ServerLiveRequest {});
        let answer = self.client().server_live(asked).await;
        Ok(answer
            .map_err(|status| failed("", &status))?
            .into_inner()
            .live)
    }

    pub(crate) async fn is_ready(&self) -> Result<bool, ClientError> {
        let asked = self.request(ServerReadyRequest {});
        let answer = self.client().server_ready(asked).await;
        Ok(answer
            .map_err(|status| failed("", &status))?
            .into_inner()
            .ready)
    }

    pub(crate) async fn is_model_ready(&self, model: &Model) -> Result<bool, ClientError> {
        let asked = self.request(ModelReadyRequest {
            name: model.name.clone(),
            version: model.version.clone(),
        });
        let answer = self.client().model_ready(asked).await;
        Ok(answer
            .map_err(|status| failed(&model.to_string(), &status))?
            .into_inner()
            .ready)
    }

    pub(crate) async fn config(&self, model: &Model) -> Result<ModelConfig, ClientError> {
        let asked = self.request(ModelConfigRequest {
            name: model.name.clone(),
            version: model.version.clone(),
        });
        match self.client().model_config(asked).await {
            Ok(answer) => ModelConfig::from_proto(answer.into_inner().config.unwrap_or_default()),
            // The call is an extension of Triton's.
            Err(status) if status.code() == tonic::Code::Unimplemented => {
                self.metadata(model).await
            }
            Err(status) => Err(failed(&model.to_string(), &status)),
        }
    }

    async fn metadata(&self, model: &Model) -> Result<ModelConfig, ClientError> {
        let asked = self.request(ModelMetadataRequest {
            name: model.name.clone(),
            version: model.version.clone(),
        });
        let answer = self.client().model_metadata(asked).await;
        let answer = answer.map_err(|status| failed(&model.to_string(), &status))?;
        ModelConfig::from_metadata_proto(answer.into_inner())
    }

    pub(crate) async fn statistics(
        &self,
        model: &Model,
    ) -> Result<Vec<ModelStatistics>, ClientError> {
        let asked = self.request(ModelStatisticsRequest {
            name: model.name.clone(),
            version: model.version.clone(),
        });
        let answer = self.client().model_statistics(asked).await;
        let answer = answer.map_err(|status| failed(&model.to_string(), &status))?;
        let entries = answer.into_inner().model_stats.into_iter();
        Ok(entries.map(ModelStatistics::from).collect())
    }

    pub(crate) async fn load(&self, model: &Model, load: &Load) -> Result<(), ClientError> {
        let config = load.config.iter().map(|config| {
            (
                "config".to_owned(),
                ParameterChoice::StringParam(config.clone()),
            )
        });
        let files = load.files.iter().map(|(name, contents)| {
            (
                name.clone(),
                ParameterChoice::BytesParam(contents.clone().into()),
            )
        });
        let parameters = config.chain(files).map(|(name, choice)| {
            let parameter_choice = Some(choice);
            (name, ModelRepositoryParameter { parameter_choice })
        });
        let asked = self.request(RepositoryModelLoadRequest {
            model_name: model.name.clone(),
            parameters: parameters.collect(),
            ..RepositoryModelLoadRequest::default()
        });
        let answer = self.client().repository_model_load(asked).await;
        answer
            .map(drop)
            .map_err(|status| failed(&model.to_string(), &status))
    }

    pub(crate) async fn unload(&self, model: &Model) -> Result<(), ClientError> {
        let asked = self.request(RepositoryModelUnloadRequest {
            model_name: model.name.clone(),
            ..RepositoryModelUnloadRequest::default()
        });
        let answer = self.client().repository_model_unload(asked).await;
        answer
            .map(drop)
            .map_err(|status| failed(&model.to_string(), &status))
    }

    pub(crate) async fn infer(&self, request: &InferRequest) -> Result<Outputs, ClientError> {
        let headers = match request.options.headers.as_slice() {
            [] => self.inference.clone(),
            own => {
                let mut headers = metadata(own)?.into_headers();
                headers.extend(self.inference.clone());
                headers
            }
        };
        let pieces = match self.gzip {
            true => compressed(request).await?,
            false => encode(request)?,
        };
        let pieces = Pieces::new(pieces);
        let mut asked = Request::new(tonic::body::Body::new(pieces));
        *asked.method_mut() = Method::POST;
        *asked.version_mut() = Version::HTTP_2;
        *asked.uri_mut() = self.to.clone();
        *asked.headers_mut() = headers;
        let answer = self.channel.send(asked).await.map_err(|error| error.0)?;
        let message = answer::read(answer, &request.model).await?;
        let message = ModelInferResponse::decode(message)
            .map_err(|error| ClientError::protocol(format!("it is no message: {error}")))?;
        message::decode(message)
    }

    /// Asks for any number of answers, on a stream of their own.
    pub(crate) async fn stream(&self, request: &InferRequest) -> Result<Answers, ClientError> {
        self.answers(message::encode(request), request).await
    }

    /// What comes as an answer to that message.
    pub(super) async fn answers(
        &self,
        message: ModelInferRequest,
        request: &InferRequest,
    ) -> Result<Answers, ClientError> {
        let mut asked = self.request(futures_util::stream::iter([message]));
        extend(asked.metadata_mut(), &request.options.headers)?;
        let messages = self.client().model_stream_infer(asked).await;
        let messages = messages.map_err(|status| failed(&request.model.to_string(), &status))?;
        Ok(Answers::new(messages.into_inner(), &request.model))
    }

    /// A message may be as large as it is, unless it grows.
    pub(super) fn client(&self) -> Client {
        let client = Client::with_origin(self.channel.clone(), self.channel.origin().clone());
        let client = client.max_decoding_message_size(usize::MAX);
        match self.gzip {
            true => client
                .max_decoding_message_size(gzip::MOST)
                .send_compressed(Gzip)
                .accept_compressed(Gzip),
            false => client,
        }
    }

    pub(super) fn request<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        *request.metadata_mut() = self.metadata.clone();
        request
    }
}

fn metadata(pairs: &[(String, String)]) -> Result<MetadataMap, ClientError> {
    let mut metadata = MetadataMap::new();
    extend(&mut metadata, pairs)?;
    Ok(metadata)
}

pub(super) fn extend(
    metadata: &mut MetadataMap,
    pairs: &[(String, String)],
) -> Result<(), ClientError> {
    for (name, value) in pairs {
        let wrong = || {
            ClientError::inputs(format!(
                "header `{name}` has a name or value that gRPC cannot carry"
            ))
        };
        let name =
            MetadataKey::from_bytes(name.to_ascii_lowercase().as_bytes()).map_err(|_| wrong())?;
        let value: AsciiMetadataValue = value.parse().map_err(|_| wrong())?;
        metadata.append(name, value);
    }
    Ok(())
}
