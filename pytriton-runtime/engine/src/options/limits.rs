use std::time::Duration;

use clap::builder::{RangedU64ValueParser, TypedValueParser};
use pytriton_net::ConnectionLimits;

use crate::Limits;
use crate::arguments::options;

/// The maximum of a size option: 1 TiB.
const MAX_SIZE_BYTES: u64 = 1 << 40;

options! {
    heading = "Limits of the embedded engine";

    /// Limits of the embedded engine on the size and duration of requests.
    #[derive(Debug, Clone, Default)]
    #[non_exhaustive]
    pub struct LimitOptions {
        /// Maximum size of a gRPC message in bytes; default: --http-max-input-size
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_GRPC_MAX_INPUT_SIZE", value_name = "BYTES", value_parser = size())]
        pub grpc_max_input_size: Option<usize>,

        /// Maximum size of the path and headers of a request in bytes; default: 16384
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_MAX_HEADER_BYTES", value_name = "BYTES", hide_short_help = true, value_parser = RangedU64ValueParser::<usize>::new().range(1024..=256 << 10))]
        pub max_header_bytes: Option<usize>,

        /// Maximum number of headers of a request; default: 100
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_MAX_HEADERS", value_name = "NUMBER", hide_short_help = true, value_parser = RangedU64ValueParser::<usize>::new().range(16..=4096))]
        pub max_headers: Option<usize>,

        /// Maximum number of connections per port; default: 1024
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_MAX_CONNECTIONS", value_name = "NUMBER", hide_short_help = true, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        pub max_connections: Option<u32>,

        /// Seconds within which the head of a request must arrive, and after which an idle
        /// connection is closed; default: 75
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_HEADER_TIMEOUT_SECS", value_name = "SECONDS", hide_short_help = true, value_parser = clap::value_parser!(u64).range(1..=86_400))]
        pub header_timeout_secs: Option<u64>,

        /// Seconds that a client may pause while sending a request or reading its response;
        /// default: 20
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_BODY_TIMEOUT_SECS", value_name = "SECONDS", hide_short_help = true, value_parser = clap::value_parser!(u64).range(1..=86_400))]
        pub body_timeout_secs: Option<u64>,
    }
}

/// Parses a size in bytes.
pub(super) fn size() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::new().range(1..=MAX_SIZE_BYTES)
}

impl LimitOptions {
    /// Returns `limits` with the given options applied.
    pub(super) fn apply(&self, limits: Limits) -> Limits {
        let seconds = |given: Option<u64>| given.map(Duration::from_secs);
        let defaults = limits.connections;
        let connections = ConnectionLimits {
            max_header_bytes: self.max_header_bytes.unwrap_or(defaults.max_header_bytes),
            max_headers: self.max_headers.unwrap_or(defaults.max_headers),
            max_connections: self.max_connections.unwrap_or(defaults.max_connections),
            header_timeout: seconds(self.header_timeout_secs).unwrap_or(defaults.header_timeout),
            body_timeout: seconds(self.body_timeout_secs).unwrap_or(defaults.body_timeout),
            ..defaults
        };
        Limits {
            connections,
            ..limits
        }
    }

    /// Returns the first given option, with its dashes.
    pub fn given(&self) -> Option<&'static str> {
        let Self {
            grpc_max_input_size,
            max_header_bytes,
            max_headers,
            max_connections,
            header_timeout_secs,
            body_timeout_secs,
        } = self;
        let options = [
            ("--grpc-max-input-size", grpc_max_input_size.is_some()),
            ("--max-header-bytes", max_header_bytes.is_some()),
            ("--max-headers", max_headers.is_some()),
            ("--max-connections", max_connections.is_some()),
            ("--header-timeout-secs", header_timeout_secs.is_some()),
            ("--body-timeout-secs", body_timeout_secs.is_some()),
        ];
        let mut given = options.into_iter().filter(|(_, given)| *given);
        given.next().map(|(option, _)| option)
    }
}
