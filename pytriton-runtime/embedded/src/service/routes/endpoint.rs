use pytriton_core::model::Surface;
use pytriton_core::shared_memory::Kind;
use pytriton_kserve::InfoRoute;

/// The handler of a route. Each service matches on its own enumeration without a wildcard arm, so a
/// route without a handler does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Kserve(KserveEndpoint),
    Rpc(Rpc),
    OpenAi(OpenAiEndpoint),
    Docs(DocsEndpoint),
    Metrics,
    SageMaker(SageMakerEndpoint),
    VertexAi(VertexAiEndpoint),
}

/// A handler of the KServe API over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KserveEndpoint {
    Infer,
    Generate,
    GenerateStream,
    Info(InfoRoute),
    RepositoryIndex,
    Load,
    Unload,
    SharedMemory(Kind, RegionAction),
    TraceSetting,
    Logging,
}

/// The action of a path on shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RegionAction {
    Status,
    Register,
    Unregister,
}

/// A handler of a gRPC method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rpc {
    ModelInfer,
    ModelStreamInfer,
    ServerLive,
    ServerReady,
    ModelReady,
    ServerMetadata,
    ModelMetadata,
    ModelConfig,
    ModelStatistics,
    RepositoryIndex,
    RepositoryModelLoad,
    RepositoryModelUnload,
    SystemSharedMemoryStatus,
    SystemSharedMemoryRegister,
    SystemSharedMemoryUnregister,
    CudaSharedMemoryStatus,
    CudaSharedMemoryRegister,
    CudaSharedMemoryUnregister,
    TraceSetting,
    LogSettings,
    HealthCheck,
    HealthWatch,
    Reflection,
}

/// A handler of the OpenAI API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenAiEndpoint {
    List,
    Model,
    Complete(Surface),
}

/// A handler of the docs page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocsEndpoint {
    Page,
    Document,
    /// The metrics that the page plots. Browsers do not let the page request another port.
    Metrics,
}

/// A handler on the port of SageMaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SageMakerEndpoint {
    Ping,
    Invocations,
    /// Multi-model requests.
    Models,
}

/// A handler on the port of Vertex AI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VertexAiEndpoint {
    Health,
    Predict,
}
