use std::sync::Arc;

use axum::Router;
use axum::extract::Request as HttpRequest;
use axum::http::Uri;
use axum::middleware::map_request;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use prost::DecodeError;
use tokio::task::coop::consume_budget;
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{
    ErrorResponse, ExtensionNumberResponse, FileDescriptorResponse, ListServiceResponse,
    ServerReflectionRequest, ServerReflectionResponse, ServiceResponse,
};
use tonic_reflection::pb::{v1, v1alpha};
use tonic_reflection::server::v1::{ServerReflection, ServerReflectionServer};

use crate::proto::FILE_DESCRIPTOR_SET;
use crate::text::for_client;

use super::descriptors::Descriptors;

const V1: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const V1_ALPHA: &str = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";

/// `grpc.reflection`, of which v1alpha is v1 under another name.
///
/// # Errors
///
/// The decoder's, if the descriptors are none.
pub(super) fn reflection() -> Result<Router, DecodeError> {
    let descriptors = Descriptors::new(&[
        FILE_DESCRIPTOR_SET,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        v1::FILE_DESCRIPTOR_SET,
        v1alpha::FILE_DESCRIPTOR_SET,
    ])?;
    let service = ServerReflectionServer::new(Reflection(Arc::new(descriptors)));
    let router = Router::new()
        .route_service(V1, service.clone())
        .route_service(V1_ALPHA, service);
    Ok(router.layer(map_request(async |mut request: HttpRequest| {
        *request.uri_mut() = Uri::from_static(V1);
        request
    })))
}

/// Answers each question on its own: one without an answer does not end the stream.
#[derive(Debug)]
struct Reflection(Arc<Descriptors>);

#[tonic::async_trait]
impl ServerReflection for Reflection {
    type ServerReflectionInfoStream = BoxStream<'static, Result<ServerReflectionResponse, Status>>;

    async fn server_reflection_info(
        &self,
        request: Request<Streaming<ServerReflectionRequest>>,
    ) -> Result<Response<Self::ServerReflectionInfoStream>, Status> {
        let descriptors = Arc::clone(&self.0);
        let answers = request.into_inner().then(move |request| {
            let descriptors = Arc::clone(&descriptors);
            async move {
                // However many have come, others have their turn.
                consume_budget().await;
                Ok(response(&descriptors, request?))
            }
        });
        Ok(Response::new(answers.boxed()))
    }
}

fn response(
    descriptors: &Descriptors,
    request: ServerReflectionRequest,
) -> ServerReflectionResponse {
    let answer = answer(descriptors, request.message_request.as_ref());
    ServerReflectionResponse {
        valid_host: request.host.clone(),
        original_request: Some(request),
        message_response: Some(answer),
    }
}

fn answer(descriptors: &Descriptors, asked: Option<&MessageRequest>) -> MessageResponse {
    match asked {
        Some(MessageRequest::ListServices(_)) => {
            let services = descriptors.services();
            let service = services.map(|name| ServiceResponse {
                name: name.to_owned(),
            });
            MessageResponse::ListServicesResponse(ListServiceResponse {
                service: service.collect(),
            })
        }
        Some(MessageRequest::FileByFilename(name)) => {
            file(descriptors.file(name), format_args!("file '{name}'"))
        }
        Some(MessageRequest::FileContainingSymbol(name)) => {
            file(descriptors.declaring(name), format_args!("symbol '{name}'"))
        }
        // No file extends a message.
        Some(MessageRequest::AllExtensionNumbersOfType(name)) => {
            match descriptors.declaring(name) {
                Some(_) => MessageResponse::AllExtensionNumbersResponse(ExtensionNumberResponse {
                    base_type_name: name.clone(),
                    extension_number: Vec::new(),
                }),
                None => not_found(format_args!("type '{name}'")),
            }
        }
        Some(MessageRequest::FileContainingExtension(extension)) => {
            let (name, number) = (&extension.containing_type, extension.extension_number);
            not_found(format_args!("extension {number} of '{name}'"))
        }
        None => error(Code::InvalidArgument, &"the request asks for nothing"),
    }
}

fn file(found: Option<&[u8]>, what: std::fmt::Arguments<'_>) -> MessageResponse {
    let Some(file) = found else {
        return not_found(what);
    };
    MessageResponse::FileDescriptorResponse(FileDescriptorResponse {
        file_descriptor_proto: vec![file.to_vec()],
    })
}

fn not_found(what: std::fmt::Arguments<'_>) -> MessageResponse {
    error(Code::NotFound, &format_args!("{what} is not found"))
}

fn error(code: Code, message: &impl std::fmt::Display) -> MessageResponse {
    MessageResponse::ErrorResponse(ErrorResponse {
        error_code: code.into(),
        error_message: for_client(message),
    })
}
