use axum::http::Method;

use crate::service::Operation;
use crate::shared_memory::Kind;

/// The operation of a path.
///
/// Source: `HTTPAPIServer::Handle` in Triton 2.51 and its patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route<'a> {
    ServerMetadata,
    ServerLive,
    ServerReady,
    AllStatistics,
    RepositoryIndex,
    Load {
        repository: Option<&'a str>,
        name: &'a str,
    },
    Unload {
        repository: Option<&'a str>,
        name: &'a str,
    },
    Logging,
    TraceSetting {
        model: Option<&'a str>,
    },
    SharedMemory {
        kind: Kind,
        region: Option<&'a str>,
        action: RegionAction,
    },
    Model {
        name: &'a str,
        /// Digits.
        version: Option<&'a str>,
        action: ModelAction,
    },
}

/// The operation of a path on a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModelAction {
    Metadata,
    Ready,
    Config,
    Statistics,
    Infer,
    Generate,
    GenerateStream,
}

impl ModelAction {
    /// Returns whether the model is called.
    pub(super) fn is_inference(self) -> bool {
        matches!(self, Self::Infer | Self::Generate | Self::GenerateStream)
    }
}

/// The operation of a path on shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RegionAction {
    Status,
    Register,
    Unregister,
}

/// The maximum number of segments of a path after `/v2`.
const MAX_SEGMENTS: usize = 6;
pub(super) const GET: &[Method] = &[Method::GET];
pub(super) const POST: &[Method] = &[Method::POST];
const GET_AND_POST: &[Method] = &[Method::GET, Method::POST];

impl<'a> Route<'a> {
    /// Parses a path without decoding it.
    pub(super) fn parse(path: &'a str) -> Option<Self> {
        let path = path.strip_prefix("/v2")?;
        let mut segments = [""; MAX_SEGMENTS];
        let mut count = 0;
        let mut rest = path;
        while !rest.is_empty() {
            rest = rest.strip_prefix('/')?;
            let end = rest.bytes().position(|byte| byte == b'/');
            let (segment, others) = rest.split_at(end.unwrap_or(rest.len()));
            // Segments must not be empty.
            if segment.is_empty() {
                return None;
            }
            *segments.get_mut(count)? = segment;
            count += 1;
            rest = others;
        }
        Self::of(&segments[..count])
    }

    fn of(segments: &[&'a str]) -> Option<Self> {
        match segments {
            [] => Some(Self::ServerMetadata),
            ["health", "live"] => Some(Self::ServerLive),
            ["health", "ready"] => Some(Self::ServerReady),
            ["models", "stats"] => Some(Self::AllStatistics),
            ["models", name, "trace", "setting"] => Some(Self::TraceSetting { model: Some(name) }),
            ["models", name, rest @ ..] => Self::model(name, rest),
            ["repository", "index"] | ["repository", _, "index"] => Some(Self::RepositoryIndex),
            ["repository", "models", name, action] => Self::control(None, name, action),
            ["repository", repository, "models", name, action] => {
                Self::control(Some(repository), name, action)
            }
            ["logging"] => Some(Self::Logging),
            ["trace", "setting"] => Some(Self::TraceSetting { model: None }),
            ["systemsharedmemory", rest @ ..] => Self::shared_memory(Kind::System, rest),
            ["cudasharedmemory", rest @ ..] => Self::shared_memory(Kind::Cuda, rest),
            _ => None,
        }
    }

    fn control(repository: Option<&'a str>, name: &'a str, action: &str) -> Option<Self> {
        match action {
            "load" => Some(Self::Load { repository, name }),
            "unload" => Some(Self::Unload { repository, name }),
            _ => None,
        }
    }

    fn shared_memory(kind: Kind, rest: &[&'a str]) -> Option<Self> {
        let (region, action) = match rest {
            [action] => (None, action),
            ["region", region, action] => (Some(*region), action),
            _ => return None,
        };
        let action = match *action {
            "status" => RegionAction::Status,
            "register" => RegionAction::Register,
            "unregister" => RegionAction::Unregister,
            _ => return None,
        };
        Some(Self::SharedMemory {
            kind,
            region,
            action,
        })
    }

    fn model(name: &'a str, rest: &[&'a str]) -> Option<Self> {
        let (version, rest) = match rest {
            ["versions", version, rest @ ..] => {
                if !version.bytes().all(|byte| byte.is_ascii_digit()) {
                    return None;
                }
                (Some(*version), rest)
            }
            rest => (None, rest),
        };
        let action = match rest {
            [] => ModelAction::Metadata,
            ["ready"] => ModelAction::Ready,
            ["config"] => ModelAction::Config,
            ["stats"] => ModelAction::Statistics,
            ["infer"] => ModelAction::Infer,
            ["generate"] => ModelAction::Generate,
            ["generate_stream"] => ModelAction::GenerateStream,
            _ => return None,
        };
        Some(Self::Model {
            name,
            version,
            action,
        })
    }

    /// Returns the operation for the access rules.
    pub(super) const fn operation(&self) -> Operation {
        match self {
            Self::ServerMetadata => Operation::ServerMetadata,
            Self::ServerLive => Operation::ServerLive,
            Self::ServerReady => Operation::ServerReady,
            Self::AllStatistics => Operation::Statistics,
            Self::RepositoryIndex => Operation::RepositoryIndex,
            Self::Load { .. } => Operation::LoadModel,
            Self::Unload { .. } => Operation::UnloadModel,
            Self::SharedMemory { kind, .. } => match kind {
                Kind::System => Operation::SystemSharedMemory,
                Kind::Cuda => Operation::CudaSharedMemory,
            },
            Self::Logging => Operation::LogSettings,
            Self::TraceSetting { .. } => Operation::TraceSetting,
            Self::Model { action, .. } => match action {
                ModelAction::Metadata => Operation::ModelMetadata,
                ModelAction::Ready => Operation::ModelReady,
                ModelAction::Config => Operation::ModelConfig,
                ModelAction::Statistics => Operation::Statistics,
                ModelAction::Infer => Operation::Infer,
                ModelAction::Generate | ModelAction::GenerateStream => Operation::Generate,
            },
        }
    }

    /// Returns the methods that the path supports.
    pub(super) fn methods(&self) -> &'static [Method] {
        match self {
            Self::Logging | Self::TraceSetting { .. } => GET_AND_POST,
            Self::RepositoryIndex
            | Self::Load { .. }
            | Self::Unload { .. }
            | Self::SharedMemory {
                action: RegionAction::Register | RegionAction::Unregister,
                ..
            }
            | Self::Model {
                action: ModelAction::Infer | ModelAction::Generate | ModelAction::GenerateStream,
                ..
            } => POST,
            _ => GET,
        }
    }

    /// Returns whether Triton uses `text/plain` for errors of the path itself.
    pub(super) fn has_plain_errors(&self) -> bool {
        matches!(
            self,
            Self::ServerLive
                | Self::ServerReady
                | Self::Model {
                    action: ModelAction::Ready | ModelAction::Infer,
                    ..
                }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(version: Option<&'static str>, action: ModelAction) -> Option<Route<'static>> {
        Some(Route::Model {
            name: "m",
            version,
            action,
        })
    }

    #[test]
    fn reads_paths_as_triton_does() {
        let table = [
            ("/v2", Some(Route::ServerMetadata)),
            ("/v2/", None),
            ("/", None),
            ("/nope", None),
            ("/v2x", None),
            ("/v2/health", None),
            ("/v2/health/live", Some(Route::ServerLive)),
            ("/v2/health/live/", None),
            ("/v2/health/ready", Some(Route::ServerReady)),
            ("/v2/models/stats", Some(Route::AllStatistics)),
            ("/v2/models/m", model(None, ModelAction::Metadata)),
            ("/v2/models/m/", None),
            ("/v2/models//ready", None),
            ("/v2/models/m/nope", None),
            ("/v2/models/m/versions", None),
            (
                "/v2/models/m/versions/1",
                model(Some("1"), ModelAction::Metadata),
            ),
            ("/v2/models/m/versions/x", None),
            ("/v2/models/m/versions/-1", None),
            ("/v2/models/m/versions//ready", None),
            (
                "/v2/models/m/versions/1/ready",
                model(Some("1"), ModelAction::Ready),
            ),
            ("/v2/models/m/versions/1/trace/setting", None),
            ("/v2/models/m/config", model(None, ModelAction::Config)),
            ("/v2/models/m/stats", model(None, ModelAction::Statistics)),
            ("/v2/models/m/infer", model(None, ModelAction::Infer)),
            ("/v2/models/m/generate", model(None, ModelAction::Generate)),
            ("/v2/models/m/generate/", None),
            (
                "/v2/models/m/versions/1/generate_stream",
                model(Some("1"), ModelAction::GenerateStream),
            ),
            ("/v2/models/m/infer/a/b/c/d", None),
            ("/v2/repository/index", Some(Route::RepositoryIndex)),
            ("/v2/repository/a/index", Some(Route::RepositoryIndex)),
            (
                "/v2/repository/models/m/load",
                Some(Route::Load {
                    repository: None,
                    name: "m",
                }),
            ),
            (
                "/v2/repository/r/models/m/unload",
                Some(Route::Unload {
                    repository: Some("r"),
                    name: "m",
                }),
            ),
            ("/v2/repository/models/m/reload", None),
            ("/v2/repository/models//load", None),
            ("/v2/systemsharedmemory/region/r/nope", None),
            ("/v2/systemsharedmemory/region/status", None),
            ("/v2/systemsharedmemory/region//status", None),
            (
                "/v2/systemsharedmemory/status",
                Some(Route::SharedMemory {
                    kind: Kind::System,
                    region: None,
                    action: RegionAction::Status,
                }),
            ),
            (
                "/v2/cudasharedmemory/region/a%2Fb/unregister",
                Some(Route::SharedMemory {
                    kind: Kind::Cuda,
                    region: Some("a%2Fb"),
                    action: RegionAction::Unregister,
                }),
            ),
            ("/metrics", None),
        ];
        for (path, expected) in table {
            assert_eq!(Route::parse(path), expected, "{path}");
        }
    }

    #[test]
    fn paths_are_in_triton_s_groups() {
        let table = [
            ("/v2/health/live", "health"),
            ("/v2/health/ready", "health"),
            ("/v2/models/m/ready", "health"),
            ("/v2/models/m/versions/1/ready", "health"),
            ("/v2", "metadata"),
            ("/v2/models/m", "metadata"),
            ("/v2/models/m/versions/1", "metadata"),
            ("/v2/models/m/infer", "inference"),
            ("/v2/models/m/versions/1/generate", "inference"),
            ("/v2/models/m/generate_stream", "inference"),
            ("/v2/models/m/config", "model-config"),
            ("/v2/models/m/versions/1/stats", "statistics"),
            ("/v2/models/stats", "statistics"),
            ("/v2/repository/index", "model-repository"),
            ("/v2/repository/r/index", "model-repository"),
            ("/v2/repository/models/m/load", "model-repository"),
            ("/v2/repository/r/models/m/unload", "model-repository"),
            ("/v2/systemsharedmemory/status", "shared-memory"),
            ("/v2/systemsharedmemory/region/r/register", "shared-memory"),
            ("/v2/cudasharedmemory/region/r/unregister", "shared-memory"),
            ("/v2/trace/setting", "trace"),
            ("/v2/models/m/trace/setting", "trace"),
            ("/v2/logging", "logging"),
        ];
        for (path, group) in table {
            let route = Route::parse(path).unwrap();
            assert_eq!(route.operation().group().name(), group, "{path}");
        }
    }
}
