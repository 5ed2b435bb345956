use pytriton_engine::access::Group;

/// The operation of a request, regardless of the protocol. This is the only table that assigns
/// routes to groups. The matches have no wildcard arm, so an operation without a group does not
/// compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    ServerLive,
    ServerReady,
    ModelReady,
    WatchHealth,
    ServerMetadata,
    ModelMetadata,
    /// Model information for OpenAI clients.
    DescribeModels,
    /// The OpenAPI document.
    Document,
    /// gRPC server reflection.
    Reflection,
    Infer,
    Generate,
    /// A completion for OpenAI clients.
    Complete,
    ModelConfig,
    Statistics,
    RepositoryIndex,
    LoadModel,
    UnloadModel,
    SystemSharedMemory,
    CudaSharedMemory,
    TraceSetting,
    LogSettings,
}

impl Operation {
    /// Returns whether the operation belongs to the OpenAI API.
    pub(crate) const fn is_openai(self) -> bool {
        matches!(self, Self::DescribeModels | Self::Complete)
    }

    /// Returns the group of the operation. Operations of Triton are in Triton's groups.
    ///
    /// Source: `HTTPAPIServer::Handle` and `CommonHandler` of Triton 2.51.
    pub(crate) const fn group(self) -> Group {
        match self {
            Self::ServerLive | Self::ServerReady | Self::ModelReady | Self::WatchHealth => {
                Group::Health
            }
            Self::ServerMetadata
            | Self::ModelMetadata
            | Self::DescribeModels
            | Self::Document
            | Self::Reflection => Group::Metadata,
            Self::Infer | Self::Generate | Self::Complete => Group::Inference,
            Self::ModelConfig => Group::ModelConfig,
            Self::Statistics => Group::Statistics,
            Self::RepositoryIndex | Self::LoadModel | Self::UnloadModel => Group::ModelRepository,
            Self::SystemSharedMemory | Self::CudaSharedMemory => Group::SharedMemory,
            Self::TraceSetting => Group::Trace,
            Self::LogSettings => Group::Logging,
        }
    }
}
