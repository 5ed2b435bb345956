use pytriton_engine::access::Group;
use pytriton_kserve::InfoRoute;

/// The operation of a request, regardless of the protocol. This table and that of [`InfoRoute`]
/// assign routes to groups. The matches have no wildcard arm, so an operation without a group does
/// not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Information about the server or a model. Its group is a column of the table of these routes.
    Info(InfoRoute),
    WatchHealth,
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
            Self::Info(route) => route.group(),
            Self::WatchHealth => Group::Health,
            Self::DescribeModels | Self::Document | Self::Reflection => Group::Metadata,
            Self::Infer | Self::Generate | Self::Complete => Group::Inference,
            Self::RepositoryIndex | Self::LoadModel | Self::UnloadModel => Group::ModelRepository,
            Self::SystemSharedMemory | Self::CudaSharedMemory => Group::SharedMemory,
            Self::TraceSetting => Group::Trace,
            Self::LogSettings => Group::Logging,
        }
    }
}
