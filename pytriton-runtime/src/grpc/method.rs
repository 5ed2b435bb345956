use crate::Limits;
use crate::access::Group;
use crate::service::Operation;

use super::message_limit::MessageLimit;
use super::message_limit::RequestSize::{self, Input, Settings, Small};

use self::Requests::{Stream, Unary};

/// A method of a gRPC service.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Method {
    path: &'static str,
    pub(super) rpc: Rpc,
    /// Determines the access group.
    pub(super) operation: Operation,
    size: RequestSize,
    requests: Requests,
}

/// The implementation of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rpc {
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

/// The number of requests in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Requests {
    /// Exactly one.
    Unary,
    /// Any number, with pauses in between.
    Stream,
}

impl Method {
    /// Returns the method with this path.
    pub(super) fn find(path: &str) -> Option<&'static Self> {
        METHODS.iter().find(|method| method.path == path)
    }

    #[cfg(test)]
    pub(super) fn all() -> impl Iterator<Item = &'static Self> {
        METHODS.iter()
    }

    #[cfg(test)]
    pub(super) fn path(&self) -> &'static str {
        self.path
    }

    /// Returns the size limit of its request messages.
    pub(super) fn limit(&self, limits: &Limits) -> MessageLimit {
        MessageLimit::new(self.size, self.path, limits)
    }

    /// Returns whether a client may send any number of requests, with pauses in between.
    pub(super) fn is_streaming(&self) -> bool {
        self.requests == Stream
    }

    /// Returns whether it must respond even if the memory budget is exhausted.
    pub(super) fn is_health(&self) -> bool {
        self.operation.group() == Group::Health
    }
}

/// Returns whether the path is that of unary inference calls.
pub(crate) fn is_inference(path: &str) -> bool {
    let [first, ..] = &METHODS;
    path == first.path
}

/// All methods, the most frequent first: implementation, operation, size class, and number of
/// requests.
#[rustfmt::skip]
pub(super) static METHODS: [Method; 24] = [
    method("/inference.GRPCInferenceService/ModelInfer", Rpc::ModelInfer, Operation::Infer, Input, Unary),
    method("/inference.GRPCInferenceService/ModelStreamInfer", Rpc::ModelStreamInfer, Operation::Infer, Input, Stream),
    method("/inference.GRPCInferenceService/ServerLive", Rpc::ServerLive, Operation::ServerLive, Small, Unary),
    method("/inference.GRPCInferenceService/ServerReady", Rpc::ServerReady, Operation::ServerReady, Small, Unary),
    method("/inference.GRPCInferenceService/ModelReady", Rpc::ModelReady, Operation::ModelReady, Small, Unary),
    method("/inference.GRPCInferenceService/ServerMetadata", Rpc::ServerMetadata, Operation::ServerMetadata, Small, Unary),
    method("/inference.GRPCInferenceService/ModelMetadata", Rpc::ModelMetadata, Operation::ModelMetadata, Small, Unary),
    method("/inference.GRPCInferenceService/ModelConfig", Rpc::ModelConfig, Operation::ModelConfig, Small, Unary),
    method("/inference.GRPCInferenceService/ModelStatistics", Rpc::ModelStatistics, Operation::Statistics, Small, Unary),
    method("/inference.GRPCInferenceService/RepositoryIndex", Rpc::RepositoryIndex, Operation::RepositoryIndex, Small, Unary),
    method("/inference.GRPCInferenceService/RepositoryModelLoad", Rpc::RepositoryModelLoad, Operation::LoadModel, Input, Unary),
    method("/inference.GRPCInferenceService/RepositoryModelUnload", Rpc::RepositoryModelUnload, Operation::UnloadModel, Settings, Unary),
    method("/inference.GRPCInferenceService/SystemSharedMemoryStatus", Rpc::SystemSharedMemoryStatus, Operation::SystemSharedMemory, Small, Unary),
    method("/inference.GRPCInferenceService/SystemSharedMemoryRegister", Rpc::SystemSharedMemoryRegister, Operation::SystemSharedMemory, Settings, Unary),
    method("/inference.GRPCInferenceService/SystemSharedMemoryUnregister", Rpc::SystemSharedMemoryUnregister, Operation::SystemSharedMemory, Small, Unary),
    method("/inference.GRPCInferenceService/CudaSharedMemoryStatus", Rpc::CudaSharedMemoryStatus, Operation::CudaSharedMemory, Small, Unary),
    method("/inference.GRPCInferenceService/CudaSharedMemoryRegister", Rpc::CudaSharedMemoryRegister, Operation::CudaSharedMemory, Settings, Unary),
    method("/inference.GRPCInferenceService/CudaSharedMemoryUnregister", Rpc::CudaSharedMemoryUnregister, Operation::CudaSharedMemory, Small, Unary),
    method("/inference.GRPCInferenceService/TraceSetting", Rpc::TraceSetting, Operation::TraceSetting, Settings, Unary),
    method("/inference.GRPCInferenceService/LogSettings", Rpc::LogSettings, Operation::LogSettings, Settings, Unary),
    method("/grpc.health.v1.Health/Check", Rpc::HealthCheck, Operation::ServerReady, Small, Unary),
    method("/grpc.health.v1.Health/Watch", Rpc::HealthWatch, Operation::WatchHealth, Small, Unary),
    method("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", Rpc::Reflection, Operation::Reflection, Small, Stream),
    method("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", Rpc::Reflection, Operation::Reflection, Small, Stream),
];

const fn method(
    path: &'static str,
    rpc: Rpc,
    operation: Operation,
    size: RequestSize,
    requests: Requests,
) -> Method {
    Method {
        path,
        rpc,
        operation,
        size,
        requests,
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use prost_types::FileDescriptorSet;
    use tonic_reflection::pb::{v1, v1alpha};

    use crate::proto::FILE_DESCRIPTOR_SET;

    use super::*;

    #[test]
    fn the_first_method_is_the_inference_call() {
        let inference = Method::all().filter(|method| is_inference(method.path));
        let inference: Vec<_> = inference.map(|method| method.rpc).collect();
        assert_eq!(inference, [Rpc::ModelInfer]);
    }

    #[test]
    fn every_method_of_every_service_that_is_served_has_a_group() {
        let sets = [
            FILE_DESCRIPTOR_SET,
            tonic_health::pb::FILE_DESCRIPTOR_SET,
            v1::FILE_DESCRIPTOR_SET,
            v1alpha::FILE_DESCRIPTOR_SET,
        ];
        let mut groups = Vec::new();
        for file in sets.map(|set| FileDescriptorSet::decode(set).unwrap().file) {
            for file in file {
                for service in &file.service {
                    for method in &service.method {
                        let (package, service) = (file.package(), service.name());
                        let path = format!("/{package}.{service}/{}", method.name());
                        let known = Method::find(&path);
                        let known = known.unwrap_or_else(|| panic!("{path} has no group"));
                        groups.push((method.name().to_owned(), known.operation.group().name()));
                    }
                }
            }
        }
        let expected = [
            ("ServerLive", "health"),
            ("ServerReady", "health"),
            ("ModelReady", "health"),
            ("ServerMetadata", "metadata"),
            ("ModelMetadata", "metadata"),
            ("ModelInfer", "inference"),
            ("ModelStreamInfer", "inference"),
            ("ModelConfig", "model-config"),
            ("ModelStatistics", "statistics"),
            ("RepositoryIndex", "model-repository"),
            ("RepositoryModelLoad", "model-repository"),
            ("RepositoryModelUnload", "model-repository"),
            ("SystemSharedMemoryStatus", "shared-memory"),
            ("SystemSharedMemoryRegister", "shared-memory"),
            ("SystemSharedMemoryUnregister", "shared-memory"),
            ("CudaSharedMemoryStatus", "shared-memory"),
            ("CudaSharedMemoryRegister", "shared-memory"),
            ("CudaSharedMemoryUnregister", "shared-memory"),
            ("TraceSetting", "trace"),
            ("LogSettings", "logging"),
            ("Check", "health"),
            ("Watch", "health"),
            ("ServerReflectionInfo", "metadata"),
            ("ServerReflectionInfo", "metadata"),
        ];
        let expected = expected.map(|(method, group)| (method.to_owned(), group));
        assert_eq!(groups, expected);
        for group in Group::ALL {
            assert!(groups.iter().any(|(_, name)| *name == group.name()));
        }
        for path in [
            "",
            "/",
            "/inference.GRPCInferenceService",
            "/inference.GRPCInferenceService/",
            "/inference.GRPCInferenceService/Nope",
            "/inference.GRPCInferenceService/modelInfer",
            "/inference.GRPCInferenceService/ModelInfer/",
            "/inference.GRPCInferenceService//ModelInfer",
            "/inference.GRPCInferenceService/Model%49nfer",
            "/grpc.health.v1.Health/List",
            "/grpc.reflection.v1.ServerReflection/Nope",
        ] {
            assert_eq!(Method::find(path), None, "{path}");
        }
    }
}
