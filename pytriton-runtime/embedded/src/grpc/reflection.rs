use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::Stream;
use pytriton_core::memory_budget::MemoryPermit;
use pytriton_core::text::for_client;
use pytriton_protocol::proto::FILE_DESCRIPTOR_SET;
use tonic::{Code, Status};
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{
    ErrorResponse, ExtensionNumberResponse, FileDescriptorResponse, ListServiceResponse,
    ServerReflectionRequest, ServerReflectionResponse, ServiceResponse,
};
use tonic_reflection::pb::{v1, v1alpha};

use crate::repository::ModelRepository;

use super::GrpcResponse;
use super::descriptors::Descriptors;
use super::framed::{Framed, framed};
use super::message::{Buffer, Message};
use super::message_limit::MessageLimit;
use super::messages::Messages;

/// Returns the descriptors of all services.
pub(super) fn descriptors() -> Descriptors {
    let descriptors = Descriptors::new(&[
        FILE_DESCRIPTOR_SET,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        v1::FILE_DESCRIPTOR_SET,
        v1alpha::FILE_DESCRIPTOR_SET,
    ]);
    // The descriptors are constants, and a test decodes them, so there is no error to report.
    descriptors.unwrap_or_default()
}

/// Implements `grpc.reflection.v1`, and `v1alpha`, whose messages are identical.
pub(super) fn respond(
    models: &ModelRepository,
    descriptors: &Arc<Descriptors>,
    messages: Messages<Buffer>,
) -> GrpcResponse {
    GrpcResponse::messages(Responses {
        messages: Some(messages),
        stopping: models.stopping().boxed(),
        descriptors: Arc::clone(descriptors),
    })
}

/// One response per request. A request for an unknown symbol does not end the stream.
struct Responses {
    /// `None` after an error.
    messages: Option<Messages<Buffer>>,
    /// Ends the stream, so that an idle client does not delay the stop of the server.
    stopping: BoxFuture<'static, ()>,
    descriptors: Arc<Descriptors>,
}

impl Responses {
    /// Requests are small enough to be decoded on this thread.
    fn respond(
        &self,
        (message, mut permit): (Message<Buffer>, MemoryPermit),
        limit: MessageLimit,
    ) -> Result<Framed, Status> {
        let request = message.decode(limit, &mut permit)?;
        framed(&response(&self.descriptors, request), permit.sibling())
    }
}

impl Stream for Responses {
    type Item = Result<Framed, Status>;

    fn poll_next(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Framed, Status>>> {
        let Some(messages) = &mut self.messages else {
            return Poll::Ready(None);
        };
        let limit = messages.limit();
        let response = match messages.poll_next(context) {
            Poll::Ready(Some(Ok(message))) => self.respond(message, limit),
            Poll::Ready(Some(Err(status))) => Err(status),
            Poll::Ready(None) => return Poll::Ready(None),
            Poll::Pending => return self.stopping.poll_unpin(context).map(|()| None),
        };
        if response.is_err() {
            self.messages = None;
        }
        Poll::Ready(Some(response))
    }
}

/// The response to one request.
pub(super) fn response(
    descriptors: &Descriptors,
    request: ServerReflectionRequest,
) -> ServerReflectionResponse {
    let response = response_to(descriptors, request.message_request.as_ref());
    ServerReflectionResponse {
        valid_host: request.host.clone(),
        original_request: Some(request),
        message_response: Some(response),
    }
}

fn response_to(descriptors: &Descriptors, asked: Option<&MessageRequest>) -> MessageResponse {
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
        // No file declares extensions of a message.
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
        None => error(Code::InvalidArgument, &"the request contains no query"),
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
    error(Code::NotFound, &format_args!("{what} was not found"))
}

fn error(code: Code, message: &impl std::fmt::Display) -> MessageResponse {
    MessageResponse::ErrorResponse(ErrorResponse {
        error_code: code.into(),
        error_message: for_client(message),
    })
}
