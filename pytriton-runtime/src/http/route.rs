use axum::http::Method;

/// What a path asks for.
///
/// Source: `HTTPAPIServer::Handle` in Triton 2.51 and the patterns beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route<'a> {
    ServerMetadata,
    ServerLive,
    ServerReady,
    AllStatistics,
    RepositoryIndex,
    Model {
        name: &'a str,
        /// Digits.
        version: Option<&'a str>,
        action: ModelAction,
    },
    /// Something that Triton has and this server does not.
    NotOffered {
        what: &'static str,
        methods: &'static [Method],
    },
}

/// What a path asks of a model.
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

/// The most segments that a path of the API has behind `/v2`.
const MAX_SEGMENTS: usize = 6;
const GET: &[Method] = &[Method::GET];
const POST: &[Method] = &[Method::POST];
const GET_AND_POST: &[Method] = &[Method::GET, Method::POST];

impl<'a> Route<'a> {
    /// Reads a path as it stands in the request, with no decoding.
    pub(super) fn parse(path: &'a str) -> Option<Self> {
        let path = path.strip_prefix("/v2")?;
        let mut segments = [""; MAX_SEGMENTS];
        let mut count = 0;
        let mut rest = path;
        while !rest.is_empty() {
            rest = rest.strip_prefix('/')?;
            let end = rest.bytes().position(|byte| byte == b'/');
            let (segment, others) = rest.split_at(end.unwrap_or(rest.len()));
            // No segment of any path is empty.
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
        let not_offered = |what, methods| Some(Self::NotOffered { what, methods });
        match segments {
            [] => Some(Self::ServerMetadata),
            ["health", "live"] => Some(Self::ServerLive),
            ["health", "ready"] => Some(Self::ServerReady),
            ["models", "stats"] => Some(Self::AllStatistics),
            ["models", name, "trace", "setting"] if !name.is_empty() => {
                not_offered("tracing", GET_AND_POST)
            }
            ["models", name, rest @ ..] => Self::model(name, rest),
            ["repository", "index"] | ["repository", _, "index"] => Some(Self::RepositoryIndex),
            ["repository", "models", _, "load" | "unload"]
            | ["repository", _, "models", _, "load" | "unload"] => {
                not_offered("loading and unloading models", POST)
            }
            ["logging"] => not_offered("the logging extension", GET_AND_POST),
            ["trace", "setting"] => not_offered("tracing", GET_AND_POST),
            ["systemsharedmemory" | "cudasharedmemory", action]
            | [
                "systemsharedmemory" | "cudasharedmemory",
                "region",
                _,
                action,
            ] => match *action {
                "status" => not_offered("shared memory", GET),
                "register" | "unregister" => not_offered("shared memory", POST),
                _ => None,
            },
            _ => None,
        }
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

    /// The methods that the path answers.
    pub(super) fn methods(&self) -> &'static [Method] {
        match self {
            Self::NotOffered { methods, .. } => methods,
            Self::RepositoryIndex
            | Self::Model {
                action: ModelAction::Infer | ModelAction::Generate | ModelAction::GenerateStream,
                ..
            } => POST,
            _ => GET,
        }
    }

    /// Whether Triton calls its errors about the path itself `text/plain`.
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
            ("/v2/systemsharedmemory/region/r/nope", None),
            ("/metrics", None),
        ];
        for (path, expected) in table {
            assert_eq!(Route::parse(path), expected, "{path}");
        }
        let not_offered = [
            "/v2/repository/models/m/load",
            "/v2/repository/r/models/m/unload",
            "/v2/logging",
            "/v2/trace/setting",
            "/v2/models/m/trace/setting",
            "/v2/systemsharedmemory/status",
            "/v2/cudasharedmemory/region/r/register",
        ];
        for path in not_offered {
            let route = Route::parse(path);
            assert!(matches!(route, Some(Route::NotOffered { .. })), "{path}");
        }
    }
}
