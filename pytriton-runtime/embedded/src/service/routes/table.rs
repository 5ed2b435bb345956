use axum::http::Method;
use pytriton_core::model::Surface;
use pytriton_core::shared_memory::Kind;
use pytriton_engine::access::Group;
use pytriton_engine::port::Port;
use pytriton_kserve::InfoRoute::{
    self, ModelConfig, ModelMetadata, ModelReady, ModelStatistics, ServerLive, ServerMetadata,
    ServerReady,
};

use crate::service::Operation;

use super::endpoint::{
    DocsEndpoint, Endpoint, KserveEndpoint, OpenAiEndpoint, RegionAction, Rpc, SageMakerEndpoint,
    VertexAiEndpoint,
};
use super::pattern::Segments;
use super::route::{Route, RouteMatch};
use super::{BodySize, ErrorFormat};

use self::BodySize::{Input, Settings, Small};
use self::ErrorFormat::PlainJson;
use self::KserveEndpoint as Kserve;
use self::Port::{Docs, Grpc, Http, Metrics, OpenAi, SageMaker, VertexAi};
use self::RegionAction::{Register, Status, Unregister};

const GET: &[Method] = &[Method::GET];
const POST: &[Method] = &[Method::POST];
const DELETE: &[Method] = &[Method::DELETE];
const GET_AND_POST: &[Method] = &[Method::GET, Method::POST];
const GET_AND_HEAD: &[Method] = &[Method::GET, Method::HEAD];

/// The path in the environment variable `AIP_HEALTH_ROUTE`.
pub(crate) const AIP_HEALTH_ROUTE: &str = "/$AIP_HEALTH_ROUTE";

/// The path in the environment variable `AIP_PREDICT_ROUTE`.
pub(crate) const AIP_PREDICT_ROUTE: &str = "/$AIP_PREDICT_ROUTE";

/// All paths of SageMaker's multi-model requests.
pub(crate) const MODELS: &str = "/models";

/// The paths of a model without and with a version.
macro_rules! of_model {
    ($action:literal) => {
        &[
            concat!("/v2/models/{model}", $action),
            concat!("/v2/models/{model}/versions/{version}", $action),
        ]
    };
}

/// The paths of one kind of shared memory without and with a region.
macro_rules! of_memory {
    ($kind:literal, $action:literal) => {
        &[
            concat!("/v2/", $kind, "/", $action),
            concat!("/v2/", $kind, "/region/{region}/", $action),
        ]
    };
}

/// All routes but those of [`InfoRoute`], which follow. The first row of a port that matches a path
/// is its route, so inference comes first, and literal paths come before those with parameters.
///
/// A row on the ports of HTTP and Vertex AI is reached on the latter by a redirect, unless its path
/// is one of the variables above. A row on the ports of HTTP and the docs page is used by the page.
///
/// Sources: `HTTPAPIServer::Handle` and `CommonHandler` of Triton 2.51 and their patterns,
/// `vertex_ai_server.cc` and `sagemaker_server.cc`.
#[rustfmt::skip]
static ROUTES: &[Route] = &[
    kserve(POST, of_model!("/infer"), Kserve::Infer, &[Operation::Infer]).reads(Input).errors(PlainJson).on(Docs).on(VertexAi),
    rpc("/inference.GRPCInferenceService/ModelInfer", Rpc::ModelInfer, &[Operation::Infer]).reads(Input),
    kserve(POST, of_model!("/generate"), Kserve::Generate, &[Operation::Generate]).reads(Input).on(Docs),
    kserve(POST, of_model!("/generate_stream"), Kserve::GenerateStream, &[Operation::Generate]).reads(Input).on(Docs),

    kserve(POST, &["/v2/repository/index", "/v2/repository/{repository}/index"], Kserve::RepositoryIndex, &[Operation::RepositoryIndex]).reads(Input).on(VertexAi),
    kserve(POST, &["/v2/repository/models/{model}/load", "/v2/repository/{repository}/models/{model}/load"], Kserve::Load, &[Operation::LoadModel]).reads(Input).on(VertexAi),
    kserve(POST, &["/v2/repository/models/{model}/unload", "/v2/repository/{repository}/models/{model}/unload"], Kserve::Unload, &[Operation::UnloadModel]).reads(Input).on(VertexAi),
    kserve(GET, of_memory!("systemsharedmemory", "status"), Kserve::SharedMemory(Kind::System, Status), &[Operation::SystemSharedMemory]).reads(Input).on(VertexAi),
    kserve(POST, of_memory!("systemsharedmemory", "register"), Kserve::SharedMemory(Kind::System, Register), &[Operation::SystemSharedMemory]).reads(Input).on(VertexAi),
    kserve(POST, of_memory!("systemsharedmemory", "unregister"), Kserve::SharedMemory(Kind::System, Unregister), &[Operation::SystemSharedMemory]).reads(Input).on(VertexAi),
    kserve(GET, of_memory!("cudasharedmemory", "status"), Kserve::SharedMemory(Kind::Cuda, Status), &[Operation::CudaSharedMemory]).reads(Input).on(VertexAi),
    kserve(POST, of_memory!("cudasharedmemory", "register"), Kserve::SharedMemory(Kind::Cuda, Register), &[Operation::CudaSharedMemory]).reads(Input).on(VertexAi),
    kserve(POST, of_memory!("cudasharedmemory", "unregister"), Kserve::SharedMemory(Kind::Cuda, Unregister), &[Operation::CudaSharedMemory]).reads(Input).on(VertexAi),
    kserve(GET_AND_POST, &["/v2/trace/setting", "/v2/models/{model}/trace/setting"], Kserve::TraceSetting, &[Operation::TraceSetting]).reads(Input),
    kserve(GET_AND_POST, &["/v2/logging"], Kserve::Logging, &[Operation::LogSettings]).reads(Input),

    openai(POST, "/v1/completions", OpenAiEndpoint::Complete(Surface::Completions), &[Operation::Complete]).reads(Input),
    openai(POST, "/v1/chat/completions", OpenAiEndpoint::Complete(Surface::Chat), &[Operation::Complete]).reads(Input),
    openai(POST, "/v1/embeddings", OpenAiEndpoint::Complete(Surface::Embeddings), &[Operation::Complete]).reads(Input),
    openai(GET, "/v1/models", OpenAiEndpoint::List, &[Operation::DescribeModels]),
    openai(GET, "/v1/models/{model}", OpenAiEndpoint::Model, &[Operation::DescribeModels]),

    docs("/docs", DocsEndpoint::Page, &[]),
    // The document contains the descriptions and the configurations of models.
    docs("/openapi.json", DocsEndpoint::Document, &[Operation::Document, Operation::Info(ModelConfig)]),
    docs("/docs/metrics", DocsEndpoint::Metrics, &[Operation::Info(ModelStatistics)]),

    Route::new(Metrics, GET_AND_HEAD, &["/metrics"], Endpoint::Metrics, &[]).probe(),
    Route::new(VertexAi, GET, &["/metrics"], Endpoint::Metrics, &[Operation::Info(ModelStatistics)]),

    sagemaker(GET, "/ping", SageMakerEndpoint::Ping, &[Operation::Info(ServerReady)]).probe(),
    sagemaker(POST, "/invocations", SageMakerEndpoint::Invocations, &[Operation::Infer]).reads(Input),
    sagemaker(GET, MODELS, SageMakerEndpoint::Models, &[Operation::RepositoryIndex]),
    sagemaker(POST, MODELS, SageMakerEndpoint::Models, &[Operation::LoadModel]),
    sagemaker(DELETE, MODELS, SageMakerEndpoint::Models, &[Operation::UnloadModel]),
    vertex_ai(GET, AIP_HEALTH_ROUTE, VertexAiEndpoint::Health, &[Operation::Info(ServerReady)]).probe(),
    vertex_ai(POST, AIP_PREDICT_ROUTE, VertexAiEndpoint::Predict, &[Operation::Infer]).reads(Input),

    rpc("/inference.GRPCInferenceService/ModelStreamInfer", Rpc::ModelStreamInfer, &[Operation::Infer]).reads(Input).streaming(),
    rpc("/inference.GRPCInferenceService/ServerLive", Rpc::ServerLive, &[Operation::Info(ServerLive)]).probe(),
    rpc("/inference.GRPCInferenceService/ServerReady", Rpc::ServerReady, &[Operation::Info(ServerReady)]).probe(),
    rpc("/inference.GRPCInferenceService/ModelReady", Rpc::ModelReady, &[Operation::Info(ModelReady)]).probe(),
    rpc("/inference.GRPCInferenceService/ServerMetadata", Rpc::ServerMetadata, &[Operation::Info(ServerMetadata)]).probe(),
    rpc("/inference.GRPCInferenceService/ModelMetadata", Rpc::ModelMetadata, &[Operation::Info(ModelMetadata)]),
    rpc("/inference.GRPCInferenceService/ModelConfig", Rpc::ModelConfig, &[Operation::Info(ModelConfig)]),
    rpc("/inference.GRPCInferenceService/ModelStatistics", Rpc::ModelStatistics, &[Operation::Info(ModelStatistics)]),
    rpc("/inference.GRPCInferenceService/RepositoryIndex", Rpc::RepositoryIndex, &[Operation::RepositoryIndex]),
    rpc("/inference.GRPCInferenceService/RepositoryModelLoad", Rpc::RepositoryModelLoad, &[Operation::LoadModel]).reads(Input),
    rpc("/inference.GRPCInferenceService/RepositoryModelUnload", Rpc::RepositoryModelUnload, &[Operation::UnloadModel]).reads(Settings),
    rpc("/inference.GRPCInferenceService/SystemSharedMemoryStatus", Rpc::SystemSharedMemoryStatus, &[Operation::SystemSharedMemory]),
    rpc("/inference.GRPCInferenceService/SystemSharedMemoryRegister", Rpc::SystemSharedMemoryRegister, &[Operation::SystemSharedMemory]).reads(Settings),
    rpc("/inference.GRPCInferenceService/SystemSharedMemoryUnregister", Rpc::SystemSharedMemoryUnregister, &[Operation::SystemSharedMemory]),
    rpc("/inference.GRPCInferenceService/CudaSharedMemoryStatus", Rpc::CudaSharedMemoryStatus, &[Operation::CudaSharedMemory]),
    rpc("/inference.GRPCInferenceService/CudaSharedMemoryRegister", Rpc::CudaSharedMemoryRegister, &[Operation::CudaSharedMemory]).reads(Settings),
    rpc("/inference.GRPCInferenceService/CudaSharedMemoryUnregister", Rpc::CudaSharedMemoryUnregister, &[Operation::CudaSharedMemory]),
    rpc("/inference.GRPCInferenceService/TraceSetting", Rpc::TraceSetting, &[Operation::TraceSetting]).reads(Settings),
    rpc("/inference.GRPCInferenceService/LogSettings", Rpc::LogSettings, &[Operation::LogSettings]).reads(Settings),
    rpc("/grpc.health.v1.Health/Check", Rpc::HealthCheck, &[Operation::Info(ServerReady)]).probe(),
    rpc("/grpc.health.v1.Health/Watch", Rpc::HealthWatch, &[Operation::WatchHealth]),
    rpc("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", Rpc::Reflection, &[Operation::Reflection]).streaming(),
    rpc("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", Rpc::Reflection, &[Operation::Reflection]).streaming(),
];

/// The routes that describe the server and its models.
static INFO_ROUTES: [Route; InfoRoute::ALL.len()] = info_routes();

/// Returns all routes.
#[inline]
fn rows() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().chain(&INFO_ROUTES)
}

/// Returns the route of a path on a port.
#[inline]
pub(crate) fn find(port: Port, path: &str) -> Option<RouteMatch<'_>> {
    let segments = Segments::of(path)?;
    let mut routes = rows().filter(|route| route.is_on(port));
    routes.find_map(|route| route.matches(&segments))
}

/// Like [`find`], but prefers a route with the method if several have the path.
pub(crate) fn find_method<'a>(
    port: Port,
    path: &'a str,
    method: &Method,
) -> Option<RouteMatch<'a>> {
    let segments = Segments::of(path)?;
    let routes = rows().filter(|route| route.is_on(port));
    let mut of_method = routes.filter(|route| route.methods.contains(method));
    let found = of_method.find_map(|route| route.matches(&segments));
    found.or_else(|| find(port, path))
}

/// Returns all routes.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn all() -> impl Iterator<Item = &'static Route> {
    rows()
}

const fn kserve(
    methods: &'static [Method],
    paths: &[&'static str],
    endpoint: KserveEndpoint,
    operations: &'static [Operation],
) -> Route {
    let endpoint = Endpoint::Kserve(endpoint);
    Route::new(Http, methods, paths, endpoint, operations).errors(ErrorFormat::Json)
}

const fn info_routes() -> [Route; InfoRoute::ALL.len()] {
    let mut routes = [const { info(InfoRoute::ALL[0]) }; InfoRoute::ALL.len()];
    let mut index = 1;
    while index < routes.len() {
        routes[index] = info(InfoRoute::ALL[index]);
        index += 1;
    }
    routes
}

/// Creates the row of a route that describes the server or a model. Routes of the group `health` are
/// probes. The second `match` lists the other exceptions.
const fn info(route: InfoRoute) -> Route {
    let endpoint = KserveEndpoint::Info(route);
    let operations = &INFO_OPERATIONS[route as usize];
    let row = kserve(GET, route.paths(), endpoint, operations).on(VertexAi);
    let row = match route.group() {
        Group::Health => row.errors(PlainJson).probe(),
        _ => row,
    };
    match route {
        ServerMetadata => row.probe(),
        ServerReady | ModelStatistics => row.on(Docs),
        _ => row,
    }
}

/// The operation of each route that describes the server or a model.
const INFO_OPERATIONS: &[[Operation; 1]; InfoRoute::ALL.len()] = &{
    let mut operations = [[Operation::Info(InfoRoute::ALL[0])]; InfoRoute::ALL.len()];
    let mut index = 1;
    while index < operations.len() {
        operations[index] = [Operation::Info(InfoRoute::ALL[index])];
        index += 1;
    }
    operations
};

const fn openai(
    methods: &'static [Method],
    path: &'static str,
    endpoint: OpenAiEndpoint,
    operations: &'static [Operation],
) -> Route {
    Route::new(
        OpenAi,
        methods,
        &[path],
        Endpoint::OpenAi(endpoint),
        operations,
    )
    .on(Http)
}

const fn docs(
    path: &'static str,
    endpoint: DocsEndpoint,
    operations: &'static [Operation],
) -> Route {
    Route::new(Docs, GET, &[path], Endpoint::Docs(endpoint), operations).on(Http)
}

const fn sagemaker(
    methods: &'static [Method],
    path: &'static str,
    endpoint: SageMakerEndpoint,
    operations: &'static [Operation],
) -> Route {
    Route::new(
        SageMaker,
        methods,
        &[path],
        Endpoint::SageMaker(endpoint),
        operations,
    )
}

const fn vertex_ai(
    methods: &'static [Method],
    path: &'static str,
    endpoint: VertexAiEndpoint,
    operations: &'static [Operation],
) -> Route {
    Route::new(
        VertexAi,
        methods,
        &[path],
        Endpoint::VertexAi(endpoint),
        operations,
    )
}

const fn rpc(path: &'static str, rpc: Rpc, operations: &'static [Operation]) -> Route {
    Route::new(Grpc, POST, &[path], Endpoint::Rpc(rpc), operations).reads(Small)
}
