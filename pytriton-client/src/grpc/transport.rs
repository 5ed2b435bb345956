use hyper::Uri;
use hyper::http::header::{CONTENT_TYPE, HeaderMap, HeaderValue, TE};
use hyper::http::uri::PathAndQuery;
use pytriton_protocol::proto::grpc_inference_service_client::GrpcInferenceServiceClient;
use pytriton_protocol::proto::model_repository_parameter::ParameterChoice;
use pytriton_protocol::proto::{
    ModelConfigRequest, ModelMetadataRequest, ModelReadyRequest, ModelRepositoryParameter,
    ModelStatisticsRequest, RepositoryModelLoadRequest, RepositoryModelUnloadRequest,
    ServerLiveRequest, ServerReadyRequest,
};
use tonic::metadata::{AsciiMetadataValue, KeyAndMutValueRef, MetadataKey, MetadataMap};

use crate::config::ModelConfig;
use crate::request::{Load, Model};
use crate::statistics::ModelStatistics;
use crate::transport::{Channel, Link};
use crate::{Address, ClientError};

use super::error::failed;

const INFERENCE: &str = "/inference.GRPCInferenceService/ModelInfer";
const STREAM: &str = "/inference.GRPCInferenceService/ModelStreamInfer";

pub(super) type Client = GrpcInferenceServiceClient<Channel<tonic::body::Body>>;

/// A gRPC server.
#[derive(Debug, Clone)]
pub(crate) struct GrpcTransport {
    pub(super) channel: Channel<tonic::body::Body>,
    metadata: MetadataMap,
    /// The headers of an inference.
    pub(super) inference: HeaderMap,
    /// The URI of unary inferences.
    pub(super) to: Uri,
    /// The URI of streaming inferences.
    pub(super) to_stream: Uri,
    pub(super) gzip: bool,
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
        let to = |path| {
            let mut to = channel.origin().clone().into_parts();
            to.path_and_query = Some(PathAndQuery::from_static(path));
            Uri::from_parts(to).map_err(|error| ClientError::InvalidUrl {
                url: address.to_string(),
                reason: error.to_string(),
            })
        };
        let (to, to_stream) = (to(INFERENCE)?, to(STREAM)?);
        Ok(Self {
            channel,
            metadata,
            inference,
            to,
            to_stream,
            gzip: link.gzip,
        })
    }

    /// Returns a transport to the same server with new connections.
    pub(crate) fn with_new_connections(&self) -> Self {
        Self {
            channel: self.channel.with_new_connections(),
            ..self.clone()
        }
    }

    pub(crate) fn address(&self) -> &str {
        self.channel.address()
    }

    pub(crate) async fn is_live(&self) -> Result<bool, ClientError> {
        let request = self.request(ServerLiveRequest {});
        let response = self.client().server_live(request).await;
        Ok(response
            .map_err(|status| failed("", &status))?
            .into_inner()
            .live)
    }

    pub(crate) async fn is_ready(&self) -> Result<bool, ClientError> {
        let request = self.request(ServerReadyRequest {});
        let response = self.client().server_ready(request).await;
        Ok(response
            .map_err(|status| failed("", &status))?
            .into_inner()
            .ready)
    }

    pub(crate) async fn is_model_ready(&self, model: &Model) -> Result<bool, ClientError> {
        let request = self.request(ModelReadyRequest {
            name: model.name.clone(),
            version: model.version.clone(),
        });
        let response = self.client().model_ready(request).await;
        Ok(response
            .map_err(|status| failed(&model.to_string(), &status))?
            .into_inner()
            .ready)
    }

    pub(crate) async fn config(&self, model: &Model) -> Result<ModelConfig, ClientError> {
        let request = self.request(ModelConfigRequest {
            name: model.name.clone(),
            version: model.version.clone(),
        });
        match self.client().model_config(request).await {
            Ok(response) => {
                ModelConfig::from_proto(response.into_inner().config.unwrap_or_default())
            }
            // The call is an extension by Triton.
            Err(status) if status.code() == tonic::Code::Unimplemented => {
                self.metadata(model).await
            }
            Err(status) => Err(failed(&model.to_string(), &status)),
        }
    }

    async fn metadata(&self, model: &Model) -> Result<ModelConfig, ClientError> {
        let request = self.request(ModelMetadataRequest {
            name: model.name.clone(),
            version: model.version.clone(),
        });
        let response = self.client().model_metadata(request).await;
        let response = response.map_err(|status| failed(&model.to_string(), &status))?;
        ModelConfig::from_metadata_proto(response.into_inner())
    }

    pub(crate) async fn statistics(
        &self,
        model: &Model,
    ) -> Result<Vec<ModelStatistics>, ClientError> {
        let request = self.request(ModelStatisticsRequest {
            name: model.name.clone(),
            version: model.version.clone(),
        });
        let response = self.client().model_statistics(request).await;
        let response = response.map_err(|status| failed(&model.to_string(), &status))?;
        let entries = response.into_inner().model_stats.into_iter();
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
        let request = self.request(RepositoryModelLoadRequest {
            model_name: model.name.clone(),
            parameters: parameters.collect(),
            ..RepositoryModelLoadRequest::default()
        });
        let response = self.client().repository_model_load(request).await;
        response
            .map(drop)
            .map_err(|status| failed(&model.to_string(), &status))
    }

    pub(crate) async fn unload(&self, model: &Model) -> Result<(), ClientError> {
        let request = self.request(RepositoryModelUnloadRequest {
            model_name: model.name.clone(),
            ..RepositoryModelUnloadRequest::default()
        });
        let response = self.client().repository_model_unload(request).await;
        response
            .map(drop)
            .map_err(|status| failed(&model.to_string(), &status))
    }

    /// Messages of any size are accepted.
    pub(super) fn client(&self) -> Client {
        let client = Client::with_origin(self.channel.clone(), self.channel.origin().clone());
        client.max_decoding_message_size(usize::MAX)
    }

    pub(super) fn request<T>(&self, message: T) -> tonic::Request<T> {
        let mut request = tonic::Request::new(message);
        *request.metadata_mut() = self.metadata.clone();
        request
    }
}

pub(super) fn metadata(pairs: &[(String, String)]) -> Result<MetadataMap, ClientError> {
    let mut metadata = MetadataMap::new();
    extend(&mut metadata, pairs)?;
    Ok(metadata)
}

fn extend(metadata: &mut MetadataMap, pairs: &[(String, String)]) -> Result<(), ClientError> {
    for (name, value) in pairs {
        let wrong = || {
            ClientError::inputs(format!(
                "header `{name}` has a name or value that is invalid in gRPC"
            ))
        };
        let name =
            MetadataKey::from_bytes(name.to_ascii_lowercase().as_bytes()).map_err(|_| wrong())?;
        let value: AsciiMetadataValue = value.parse().map_err(|_| wrong())?;
        metadata.append(name, value);
    }
    Ok(())
}
