use crate::access::Group;

/// What a request asks for, whatever the protocol. The one table that says which group each route of each door is in:
/// neither match has a last arm, so that what is in no group does not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    ServerLive,
    ServerReady,
    ModelReady,
    WatchHealth,
    ServerMetadata,
    ModelMetadata,
    /// What OpenAI's clients are told of models.
    DescribeModels,
    /// The document that says what models take and give.
    Document,
    /// What gRPC's clients are told of services.
    Reflection,
    Infer,
    Generate,
    /// A text for OpenAI's clients.
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
    /// Whether it is one of OpenAI's clients that asks.
    pub(crate) const fn is_openai(self) -> bool {
        matches!(self, Self::DescribeModels | Self::Complete)
    }

    /// Where Triton has the operation the group is Triton's.
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
