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
    pub(crate) embedded: Embedded,
    pub(crate) help: &'static str,
}

/// The flag of the response cache, whose settings depend on the cache implementation.
const CACHE_CONFIG: &str = "cache-config";

/// The flag of traces, whose settings include the address of a collector.
const TRACE_CONFIG: &str = "trace-config";

/// Returns whether the value of a flag may contain a secret.
pub fn is_secret(name: &str, value: &OsStr) -> bool {
    let value = value.to_string_lossy().to_lowercase();
    let closes = [HTTP_RESTRICTED_API, GRPC_RESTRICTED_PROTOCOL].contains(&name);
    // The secret settings of an external cache are unknown. Only the settings of the local cache
    // are shown.
    let opens_cache = name == CACHE_CONFIG && !value.is_empty() && !value.starts_with("local,");
    // The address of a collector needs no scheme.
    let has_address = value.contains("://") || (name == TRACE_CONFIG && value.contains("url="));
    let has_user = has_address && value.contains('@');
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
            embedded: Embedded::$embedded $(($only))?,
            help: $help,
        }),*]
    };
}

/// The flags of PyTriton's `TritonConfig`, except those that both engines support.
///
/// Source: `TritonParser::SetupOptions` of Triton 2.51, `TritonConfig` of PyTriton 0.7.0.
pub(crate) const FLAGS: &[Flag] = flags! {
    "model-repository" "MODEL_REPOSITORY" List Refused "Directory with additional models";
    "id" "ID" Text Honoured "Name of the server. Both engines";
    "log-file" "LOG_FILE" Text Honoured "Log file of the embedded engine; with tritonserver, the file for tritonserver's own lines";
    "log-info" "LOG_INFO" Bool Honoured "Log info lines";
    "log-warning" "LOG_WARNING" Bool Honoured "Log warning lines";
    "log-error" "LOG_ERROR" Bool Honoured "Log error lines";
    "repository-poll-secs" "REPOSITORY_POLL_SECS" Number Unneeded "Interval for polling the model repository, in seconds";
    "model-config-name" "MODEL_CONFIG_NAME" Text Unneeded "Custom configuration of the models in --model-repository: <model>/configs/<name>.pbtxt";
    "rate-limit" "RATE_LIMIT" Text Only("off") "Rate limiter: off, or execution_count, which delays executions until the resources of their instances are free";
    "rate-limit-resource" "RATE_LIMIT_RESOURCE" List Refused "Available units of a resource: <name>:<count>, <name>:<count>:<device>";
    "http-thread-count" "HTTP_THREAD_COUNT" Number Unneeded "Number of HTTP threads";
    "http-restricted-api" "HTTP_RESTRICTED_API" List Honoured "HTTP APIs that require a header: <api>,<api>:<header>=<value>";
    "grpc-infer-allocation-pool-size" "GRPC_INFER_ALLOCATION_POOL_SIZE" Number Unneeded "Number of gRPC request and response objects to keep for reuse";
    "grpc-use-ssl" "GRPC_USE_SSL" Bool Honoured "Enable TLS for gRPC";
    "grpc-use-ssl-mutual" "GRPC_USE_SSL_MUTUAL" Bool Honoured "Enable TLS for gRPC and require client certificates";
    "grpc-server-cert" "GRPC_SERVER_CERT" Text Honoured "PEM file with the server certificate for gRPC";
    "grpc-server-key" "GRPC_SERVER_KEY" Text Honoured "PEM file with the private key of that certificate";
    "grpc-root-cert" "GRPC_ROOT_CERT" Text Honoured "PEM file with the root certificates for client certificates over gRPC";
    "grpc-infer-response-compression-level" "GRPC_INFER_RESPONSE_COMPRESSION_LEVEL" Text Only("none") "Compression of gRPC responses: none, low, medium or high";
    "grpc-keepalive-time" "GRPC_KEEPALIVE_TIME" Number Honoured "Interval between keepalive pings, in milliseconds. Both engines";
    "grpc-keepalive-timeout" "GRPC_KEEPALIVE_TIMEOUT" Number Honoured "Time limit for the response to a keepalive ping, in milliseconds. Both engines";
    "grpc-keepalive-permit-without-calls" "GRPC_KEEPALIVE_PERMIT_WITHOUT_CALLS" Bool Only("true") "Send keepalive pings on connections without active calls";
    "grpc-http2-max-pings-without-data" "GRPC_HTTP2_MAX_PINGS_WITHOUT_DATA" Number Only("0") "Maximum number of pings without data frames in between";
    "grpc-http2-min-recv-ping-interval-without-data" "GRPC_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA" Number Only("0") "Minimum interval between two pings of a client without data, in milliseconds";
    "grpc-http2-max-ping-strikes" "GRPC_HTTP2_MAX_PING_STRIKES" Number Only("0") "Number of early pings after which a client is disconnected";
    "grpc-restricted-protocol" "GRPC_RESTRICTED_PROTOCOL" List Honoured "gRPC protocols that require a header: <protocol>,<protocol>:<key>=<value>";
    "allow-gpu-metrics" "ALLOW_GPU_METRICS" Bool Only("false") "Report GPU metrics";
    "allow-cpu-metrics" "ALLOW_CPU_METRICS" Bool Only("true") "Report CPU metrics";
    "metrics-interval-ms" "METRICS_INTERVAL_MS" Number Unneeded "Interval for sampling CPU and GPU metrics, in milliseconds";
    "metrics-config" "METRICS_CONFIG" List Honoured "Metrics setting: <setting>=<value>. Both engines; may be repeated";
    "trace-config" "TRACE_CONFIG" List Honoured "Trace setting: <mode>,<setting>=<value>. Both engines; may be repeated";
    "cache-config" "CACHE_CONFIG" List Honoured "Response cache setting: local,size=<bytes>. Both engines; may be repeated";
    "cache-directory" "CACHE_DIRECTORY" Text Unneeded "Directory with response cache implementations; default: that of the tritonserver in use";
    "buffer-manager-thread-count" "BUFFER_MANAGER_THREAD_COUNT" Number Unneeded "Number of threads that copy tensors";
    "allow-sagemaker" "ALLOW_SAGEMAKER" Bool Honoured "Serve the SageMaker routes. Both engines";
    "sagemaker-port" "SAGEMAKER_PORT" Number Honoured "Port for the SageMaker routes";
    "sagemaker-safe-port-range" "SAGEMAKER_SAFE_PORT_RANGE" Text Honoured "Range of allowed ports on the SageMaker address: <first>-<last>";
    "sagemaker-thread-count" "SAGEMAKER_THREAD_COUNT" Number Unneeded "Number of SageMaker threads";
    "allow-vertex-ai" "ALLOW_VERTEX_AI" Bool Honoured "Serve the Vertex AI routes. Both engines";
    "vertex-ai-port" "VERTEX_AI_PORT" Number Honoured "Port for the Vertex AI routes";
    "vertex-ai-thread-count" "VERTEX_AI_THREAD_COUNT" Number Unneeded "Number of Vertex AI threads";
    "vertex-ai-default-model" "VERTEX_AI_DEFAULT_MODEL" Text Honoured "Model for Vertex AI requests that do not name one";
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_with_credentials_are_secret() {
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
            ("trace-config", "opentelemetry,url=a:Sesam@b/v1", true),
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
    fn environment_variable_is_derived_from_the_flag() {
        for (index, flag) in FLAGS.iter().enumerate() {
            let expected = flag.name.replace('-', "_").to_uppercase();
            assert_eq!(flag.env, format!("PYTRITON_TRITON_CONFIG_{expected}"));
            let same = FLAGS.iter().position(|other| other.name == flag.name);
            assert_eq!(same, Some(index), "{} stands twice", flag.name);
        }
    }
}
