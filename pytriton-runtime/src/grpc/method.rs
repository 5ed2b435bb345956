use crate::reception::Operation;

/// What a call is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    ModelInfer,
    ModelStreamInfer,
    /// Of the service for inference: those whose messages tonic reads and writes.
    Other(Operation),
    HealthCheck,
    HealthWatch,
    Reflection,
}

const INFERENCE: &str = "/inference.GRPCInferenceService/";

impl Method {
    /// The method of a path; `None` for a service or a method that is not there, which nobody answers then.
    pub(super) fn parse(path: &str) -> Option<Self> {
        let Some(method) = path.strip_prefix(INFERENCE) else {
            return Self::of_others(path);
        };
        let operation = match method {
            "ModelInfer" => return Some(Self::ModelInfer),
            "ModelStreamInfer" => return Some(Self::ModelStreamInfer),
            "ServerLive" => Operation::ServerLive,
            "ServerReady" => Operation::ServerReady,
            "ModelReady" => Operation::ModelReady,
            "ServerMetadata" => Operation::ServerMetadata,
            "ModelMetadata" => Operation::ModelMetadata,
            "ModelConfig" => Operation::ModelConfig,
            "ModelStatistics" => Operation::Statistics,
            "RepositoryIndex" => Operation::RepositoryIndex,
            "RepositoryModelLoad" => Operation::LoadModel,
            "RepositoryModelUnload" => Operation::UnloadModel,
            "SystemSharedMemoryStatus"
            | "SystemSharedMemoryRegister"
            | "SystemSharedMemoryUnregister" => Operation::SystemSharedMemory,
            "CudaSharedMemoryStatus"
            | "CudaSharedMemoryRegister"
            | "CudaSharedMemoryUnregister" => Operation::CudaSharedMemory,
            "TraceSetting" => Operation::TraceSetting,
            "LogSettings" => Operation::LogSettings,
            _ => return None,
        };
        Some(Self::Other(operation))
    }

    fn of_others(path: &str) -> Option<Self> {
        match path {
            "/grpc.health.v1.Health/Check" => Some(Self::HealthCheck),
            "/grpc.health.v1.Health/Watch" => Some(Self::HealthWatch),
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
            | "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo" => {
                Some(Self::Reflection)
            }
            _ => None,
        }
    }

    /// What the call asks for.
    pub(super) const fn operation(self) -> Operation {
        match self {
            Self::ModelInfer | Self::ModelStreamInfer => Operation::Infer,
            Self::Other(operation) => operation,
            Self::HealthCheck => Operation::ServerReady,
            Self::HealthWatch => Operation::WatchHealth,
            Self::Reflection => Operation::Reflection,
        }
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use prost_types::FileDescriptorSet;
    use tonic_reflection::pb::{v1, v1alpha};

    use crate::access::Group;
    use crate::proto::FILE_DESCRIPTOR_SET;

    use super::*;

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
                        let known = Method::parse(&path);
                        let known = known.unwrap_or_else(|| panic!("{path} has no group"));
                        groups.push((method.name().to_owned(), known.operation().group().name()));
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
            assert_eq!(Method::parse(path), None, "{path}");
        }
    }
}
