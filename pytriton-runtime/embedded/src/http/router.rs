use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Request};
use pytriton_core::received_body::ReceivedBody;
use pytriton_core::request::Identity;
use pytriton_engine::port::Port;

use crate::service::routes::{
    BodySize, Endpoint, ErrorFormat, KserveEndpoint, Params, Rejection, Route, RouteMatch, admit,
};
use crate::service::{AppState, Error, Operation};

use super::body::Body;
use super::docs::Relay;
use super::load::LoadFormat;
use super::response::{Failure, HttpResponse};
use super::{
    HttpError, TextModels, body, control, docs, generate, infer, info, logging, openai,
    shared_memory, trace,
};

/// Serves a request on a port: the KServe v2 API with Triton's extensions, the OpenAI API and the
/// docs page, as far as they are on the port and enabled.
pub(crate) async fn handle<B: Body>(
    app_state: &AppState,
    port: Port,
    request: Request<B>,
) -> HttpResponse {
    let (mut parts, body) = request.into_parts();
    handle_parts(app_state, port, &mut parts, body).await
}

/// Like [`response`], for a request that the connection owns. It is not moved on the way.
pub(crate) async fn handle_parts<B: Body>(
    app_state: &AppState,
    port: Port,
    parts: &mut Parts,
    body: B,
) -> HttpResponse {
    let Parts {
        uri,
        method,
        headers,
        extensions,
        ..
    } = parts;
    let RouteMatch { route, params } = match admit(app_state, port, uri, method, headers) {
        Ok(found) => found,
        Err(rejected) => return Box::pin(reject(app_state, parts, body, rejected)).await,
    };
    let result = match route.endpoint {
        Endpoint::Kserve(
            endpoint @ (KserveEndpoint::Infer
            | KserveEndpoint::Generate
            | KserveEndpoint::GenerateStream),
        ) => {
            let operation = Operation::Infer;
            let identity = (app_state.access_control).identify(operation, headers, extensions);
            inference(app_state, params, (endpoint, identity), headers, body).await
        }
        // Boxed, so that the future of frequent routes is not as large as that of all others.
        Endpoint::Kserve(endpoint) => {
            let request = (route, params, &*method);
            Box::pin(others(app_state, endpoint, request, headers, body)).await
        }
        Endpoint::OpenAi(endpoint) => {
            let models = TextModels::Local(Arc::clone(&app_state.models));
            let response = openai::handle(
                app_state,
                &models,
                (endpoint, params),
                (headers, extensions),
                body,
            );
            return Box::pin(response).await;
        }
        Endpoint::Docs(endpoint) => match &app_state.docs {
            Some(document) => Box::pin(docs::handle(app_state, document, endpoint, headers)).await,
            None => Err(Failure::plain(HttpError::NotFound)),
        },
        // On other ports.
        Endpoint::Rpc(_) | Endpoint::Metrics | Endpoint::SageMaker(_) | Endpoint::VertexAi(_) => {
            Err(Failure::plain(HttpError::NotFound))
        }
    };
    match result {
        Ok(response) => response,
        Err(failure) => failure.into(),
    }
}

/// Serves a port that has only OpenAI routes.
pub(crate) async fn handle_openai_port<B: Body>(
    app_state: &AppState,
    models: &TextModels,
    request: Request<B>,
) -> HttpResponse {
    let (parts, body) = request.into_parts();
    let (uri, method, headers) = (&parts.uri, &parts.method, &parts.headers);
    let RouteMatch { route, params } = match admit(app_state, Port::OpenAi, uri, method, headers) {
        Ok(found) => found,
        Err(rejected) => return reject(app_state, &parts, body, rejected).await,
    };
    match route.endpoint {
        Endpoint::OpenAi(endpoint) => {
            let head = (headers, &parts.extensions);
            openai::handle(app_state, models, (endpoint, params), head, body).await
        }
        _ => openai::refusal(HttpError::NotFound, &parts),
    }
}

/// Serves the docs page for the models of a tritonserver. Forwards the requests of the page to it.
pub(crate) async fn handle_docs_port<B: Body>(
    app_state: &AppState,
    relay: &Relay,
    request: Request<B>,
) -> HttpResponse {
    let (parts, body) = request.into_parts();
    let (uri, method, headers) = (&parts.uri, &parts.method, &parts.headers);
    let route = match admit(app_state, Port::Docs, uri, method, headers) {
        Ok(found) => found.route,
        Err(rejected) => return reject(app_state, &parts, body, rejected).await,
    };
    let result = match route.endpoint {
        Endpoint::Docs(endpoint) => docs::handle_relayed(app_state, relay, endpoint, headers).await,
        _ => relay.forward_call(app_state, route, &parts, body).await,
    };
    result.unwrap_or_else(HttpResponse::from)
}

/// Serves an inference request, and adds the load of the model if requested.
async fn inference<B: Body>(
    app_state: &AppState,
    params: Params<'_>,
    (endpoint, identity): (KserveEndpoint, Identity),
    headers: &mut HeaderMap,
    body: B,
) -> Result<HttpResponse, Failure> {
    let (name, version) = (params.model.unwrap_or_default(), params.version);
    let model = (name, version);
    let load = LoadFormat::of(headers);
    let mut response = match endpoint {
        KserveEndpoint::Generate => {
            Box::pin(generate::generate(
                app_state, model, identity, headers, body,
            ))
            .await?
        }
        KserveEndpoint::GenerateStream => {
            let response = generate::generate_stream(app_state, model, identity, headers, body);
            Box::pin(response).await?
        }
        _ => infer::infer(app_state, model, identity, headers, body).await?,
    };
    if let Some(load) = load
        && let Ok(model) = app_state.model(name, version)
    {
        load.write_header(&mut response, &model);
    }
    Ok(response)
}

/// The memory needed per byte of a request to the server itself: a parser copies member names, and
/// strings are copied once.
pub(super) const READ_BYTES_PER_BYTE: usize = 5;

/// Serves all other routes of the KServe API.
async fn others<B: Body>(
    app_state: &AppState,
    endpoint: KserveEndpoint,
    (route, params, method): (&Route, Params<'_>, &Method),
    headers: &mut HeaderMap,
    body: B,
) -> Result<HttpResponse, Failure> {
    let body = match route.body {
        BodySize::Unread => ReceivedBody::empty(app_state.models.budget().empty_permit()),
        _ => read_whole(app_state, headers, body).await?,
    };
    let Params {
        model,
        version,
        repository,
        region,
    } = params;
    let name = model.unwrap_or_default();
    match endpoint {
        KserveEndpoint::Info(route) => info::info(app_state, route, model, version),
        KserveEndpoint::RepositoryIndex => control::index(app_state, &body),
        KserveEndpoint::Load => control::load(app_state, repository, name, body).await,
        KserveEndpoint::Unload => control::unload(app_state, repository, name),
        KserveEndpoint::SharedMemory(kind, action) => {
            shared_memory::shared_memory(app_state, kind, region, action, &body)
        }
        KserveEndpoint::TraceSetting => trace::trace(app_state, method, model, body),
        KserveEndpoint::Logging => logging::logging(app_state, method, &body),
        KserveEndpoint::Infer | KserveEndpoint::Generate | KserveEndpoint::GenerateStream => {
            Err(Failure::plain(HttpError::NotFound))
        }
    }
}

/// Reads the body of a request to the server itself, and reserves the memory of its parser.
async fn read_whole<B: Body>(
    app_state: &AppState,
    headers: &HeaderMap,
    body: B,
) -> Result<ReceivedBody, Failure> {
    let read = body::read(body, headers, app_state, None).await;
    let mut body = read.map_err(Failure::json)?;
    let (bytes, permit) = body.parts();
    let reserved = permit.grow(READ_BYTES_PER_BYTE * bytes.len());
    reserved.map_err(|error| Failure::json(Error::from(error)))?;
    Ok(body)
}

/// Creates the response to a request that is not admitted.
async fn reject<B: Body>(
    app_state: &AppState,
    parts: &Parts,
    body: B,
    (rejection, format): (Rejection, ErrorFormat),
) -> HttpResponse {
    if matches!(rejection, Rejection::Restricted(_)) {
        body::discard(body, &parts.headers, app_state).await;
    }
    refusal(rejection.into(), format, parts)
}

/// Creates the response to a request that is refused before its handler.
pub(crate) fn refusal(error: HttpError, format: ErrorFormat, parts: &Parts) -> HttpResponse {
    match format {
        ErrorFormat::OpenAi => openai::refusal(error, parts),
        ErrorFormat::Json => Failure::json(error).into(),
        ErrorFormat::PlainJson | ErrorFormat::Grpc | ErrorFormat::Empty => {
            Failure::plain(error).into()
        }
    }
}
