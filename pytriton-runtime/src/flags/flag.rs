use std::ffi::OsStr;

use super::{GRPC_RESTRICTED_PROTOCOL, HTTP_RESTRICTED_API};

/// A flag that is passed to tritonserver unchanged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flag {
    /// The name without the dashes.
    pub(crate) name: &'static str,
    /// The environment variable; a [`Kind::List`] also reads `<env>_0`, `<env>_1` and so on.
    pub(crate) env: &'static str,
    pub(crate) kind: Kind,
    #[cfg(feature = "embedded")]
    pub(crate) embedded: Embedded,
    pub(crate) help: &'static str,
}

/// The flag of the response cache, whose settings depend on the cache implementation.
const CACHE_CONFIG: &str = "cache-config";

/// Returns whether the value of a flag may contain a secret.
pub(crate) fn is_secret(name: &str, value: &OsStr) -> bool {
    let value = value.to_string_lossy().to_lowercase();
    let closes = [HTTP_RESTRICTED_API, GRPC_RESTRICTED_PROTOCOL].contains(&name);
    // The secret settings of an external cache are unknown. Only the settings of the local cache
    // are shown.
    let opens_cache = name == CACHE_CONFIG && !value.is_empty() && !value.starts_with("local,");
    let has_user = value.contains("://") && value.contains('@');
    closes || opens_cache || has_user || value.contains("password")
}

/// The kind of value that a flag takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Number,
    Text,
    /// The flag is repeated for each item.
    List,
}

/// How the embedded engine treats a flag.
#[cfg(feature = "embedded")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Embedded {
    /// It honours the flag.
    Honoured,
    /// The flag has no equivalent and no observable effect.
    Unneeded,
    /// It always behaves as with this value, and supports no other.
    Only(&'static str),
    /// It cannot honour the flag.
    Refused,
}

macro_rules! flags {
    ($($name:literal $env:literal $kind:ident $embedded:ident $(($only:literal))? $help:literal;)*) => {
        &[$(Flag {
            name: $name,
            env: concat!("PYTRITON_TRITON_CONFIG_", $env),
            kind: Kind::$kind,
            #[cfg(feature = "embedded")]
            embedded: Embedded::$embedded $(($only))?,
            help: $help,
        }),*]
    };
}

/// The flags of PyTriton's `TritonConfig`, except those that both engines support.
///
/// Source: `TritonParser::SetupOptions` of Triton 2.51, `TritonConfig` of PyTriton 0.7.0.
pub(crate) const FLAGS: &[Flag] = flags! {
    "model-repository" "MODEL_REPOSITORY" List Refused "A folder with further models";
    "id" "ID" Text Refused "Name of the server";
    "log-file" "LOG_FILE" Text Honoured "File for the log of the embedded engine, or for tritonserver's, in place of ours";
    "log-info" "LOG_INFO" Bool Honoured "Log information";
    "log-warning" "LOG_WARNING" Bool Honoured "Log warnings";
    "log-error" "LOG_ERROR" Bool Honoured "Log errors";
    "repository-poll-secs" "REPOSITORY_POLL_SECS" Number Unneeded "Seconds between two looks at the model repository";
    "model-config-name" "MODEL_CONFIG_NAME" Text Unneeded "Which configuration of models in --model-repository: <model>/configs/<name>.pbtxt";
    "rate-limit" "RATE_LIMIT" Text Only("off") "off or execution_count: executions wait for the resources of their instances";
    "rate-limit-resource" "RATE_LIMIT_RESOURCE" List Refused "What there is of a resource: <name>:<count>, <name>:<count>:<device>";
    "http-thread-count" "HTTP_THREAD_COUNT" Number Unneeded "Threads that serve HTTP";
    "http-restricted-api" "HTTP_RESTRICTED_API" List Honoured "HTTP APIs that want a header: <api>,<api>:<header>=<value>";
    "grpc-infer-allocation-pool-size" "GRPC_INFER_ALLOCATION_POOL_SIZE" Number Unneeded "gRPC requests and responses that are kept for reuse";
    "grpc-use-ssl" "GRPC_USE_SSL" Bool Honoured "TLS for gRPC";
    "grpc-use-ssl-mutual" "GRPC_USE_SSL_MUTUAL" Bool Honoured "TLS for gRPC, where true with certificates of clients";
    "grpc-server-cert" "GRPC_SERVER_CERT" Text Honoured "PEM file with the certificate for gRPC";
    "grpc-server-key" "GRPC_SERVER_KEY" Text Honoured "PEM file with its key";
    "grpc-root-cert" "GRPC_ROOT_CERT" Text Honoured "PEM file with what the certificates of clients are signed with";
    "grpc-infer-response-compression-level" "GRPC_INFER_RESPONSE_COMPRESSION_LEVEL" Text Only("none") "none, low, medium or high";
    "grpc-keepalive-time" "GRPC_KEEPALIVE_TIME" Number Refused "Milliseconds between keepalive pings";
    "grpc-keepalive-timeout" "GRPC_KEEPALIVE_TIMEOUT" Number Refused "Milliseconds that a keepalive ping waits for its answer";
    "grpc-keepalive-permit-without-calls" "GRPC_KEEPALIVE_PERMIT_WITHOUT_CALLS" Bool Refused "Keepalive pings when no call is under way";
    "grpc-http2-max-pings-without-data" "GRPC_HTTP2_MAX_PINGS_WITHOUT_DATA" Number Refused "Pings that may be sent without data";
    "grpc-http2-min-recv-ping-interval-without-data" "GRPC_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA" Number Refused "Milliseconds that must lie between two pings of a client";
    "grpc-http2-max-ping-strikes" "GRPC_HTTP2_MAX_PING_STRIKES" Number Refused "Early pings that a client may send";
    "grpc-restricted-protocol" "GRPC_RESTRICTED_PROTOCOL" List Honoured "gRPC protocols that want a header: <protocol>,<protocol>:<key>=<value>";
    "allow-gpu-metrics" "ALLOW_GPU_METRICS" Bool Only("false") "Metrics of GPUs";
    "allow-cpu-metrics" "ALLOW_CPU_METRICS" Bool Only("true") "Metrics of the CPU";
    "metrics-interval-ms" "METRICS_INTERVAL_MS" Number Unneeded "Milliseconds between two samples of CPU and GPU metrics";
    "metrics-config" "METRICS_CONFIG" List Honoured "A setting of the metrics, for both engines: <setting>=<value>";
    "trace-config" "TRACE_CONFIG" List Honoured "A setting of tracing: <mode>,<setting>=<value>";
    "cache-config" "CACHE_CONFIG" List Honoured "A setting of the response cache, for both engines: local,size=<bytes>";
    "cache-directory" "CACHE_DIRECTORY" Text Unneeded "Folder of the response caches; that of the server found";
    "buffer-manager-thread-count" "BUFFER_MANAGER_THREAD_COUNT" Number Unneeded "Threads that copy tensors";
    "allow-sagemaker" "ALLOW_SAGEMAKER" Bool Honoured "Serve SageMaker, with both engines";
    "sagemaker-port" "SAGEMAKER_PORT" Number Honoured "Port for SageMaker";
    "sagemaker-safe-port-range" "SAGEMAKER_SAFE_PORT_RANGE" Text Honoured "Ports allowed beside SageMaker's: <first>-<last>";
    "sagemaker-thread-count" "SAGEMAKER_THREAD_COUNT" Number Unneeded "Threads that serve SageMaker";
    "allow-vertex-ai" "ALLOW_VERTEX_AI" Bool Honoured "Serve Vertex AI, with both engines";
    "vertex-ai-port" "VERTEX_AI_PORT" Number Honoured "Port for Vertex AI";
    "vertex-ai-thread-count" "VERTEX_AI_THREAD_COUNT" Number Unneeded "Threads that serve Vertex AI";
    "vertex-ai-default-model" "VERTEX_AI_DEFAULT_MODEL" Text Honoured "Model for Vertex AI requests that name none";
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_open_something_is_secret() {
        let table = [
            ("cache-config", "redis,password=Sesam", true),
            ("cache-config", "redis,auth=Sesam", true),
            ("cache-config", "redis,host=localhost", true),
            ("cache-config", "Sesam", true),
            ("cache-config", "local,size=1048576", false),
            ("cache-config", "", false),
            (
                "trace-config",
                "opentelemetry,url=http://a:Sesam@b/v1",
                true,
            ),
            ("trace-config", "opentelemetry,url=http://b/v1", false),
            ("http-restricted-api", "health:k=Sesam", true),
            ("grpc-restricted-protocol", "health:k=Sesam", true),
            ("id", "Sesam", false),
        ];
        for (name, value, expected) in table {
            assert_eq!(
                is_secret(name, OsStr::new(value)),
                expected,
                "{name} {value}"
            );
        }
    }

    #[test]
    fn the_environment_variable_is_the_name() {
        for (index, flag) in FLAGS.iter().enumerate() {
            let expected = flag.name.replace('-', "_").to_uppercase();
            assert_eq!(flag.env, format!("PYTRITON_TRITON_CONFIG_{expected}"));
            let same = FLAGS.iter().position(|other| other.name == flag.name);
            assert_eq!(same, Some(index), "{} stands twice", flag.name);
        }
    }
}
