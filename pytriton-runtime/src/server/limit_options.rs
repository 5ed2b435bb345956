#[cfg(feature = "embedded")]
use std::time::Duration;

use clap::Args;
use clap::builder::{RangedU64ValueParser, TypedValueParser};

#[cfg(feature = "embedded")]
use crate::limits::Limits;

/// The largest request that may be asked for: a TiB.
const LARGEST: u64 = 1 << 40;

/// How much one client may ask for, and how long it may take: what the embedded engine alone can limit.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits of the embedded engine")]
pub struct LimitOptions {
    /// Largest message over gRPC in bytes; as large as requests over HTTP where it is not given
    #[arg(long, env = "PYTRITON_TRITON_CONFIG_GRPC_MAX_INPUT_SIZE", value_name = "BYTES", value_parser = size())]
    pub grpc_max_input_size: Option<usize>,

    /// Bytes of the path and the headers of a request; 16384
    #[arg(long, env = "PYTRITON_TRITON_CONFIG_MAX_HEADER_BYTES", value_name = "BYTES", hide_short_help = true, value_parser = RangedU64ValueParser::<usize>::new().range(1024..=256 << 10))]
    pub max_header_bytes: Option<usize>,

    /// Headers of a request; 100
    #[arg(long, env = "PYTRITON_TRITON_CONFIG_MAX_HEADERS", value_name = "NUMBER", hide_short_help = true, value_parser = RangedU64ValueParser::<usize>::new().range(16..=4096))]
    pub max_headers: Option<usize>,

    /// Connections of each port; 1024
    #[arg(long, env = "PYTRITON_TRITON_CONFIG_MAX_CONNECTIONS", value_name = "NUMBER", hide_short_help = true, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub max_connections: Option<u32>,

    /// Seconds that the head of a request may take, and a connection be idle; 75
    #[arg(long, env = "PYTRITON_TRITON_CONFIG_HEADER_TIMEOUT_SECS", value_name = "SECONDS", hide_short_help = true, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub header_timeout_secs: Option<u64>,

    /// Seconds that a client may pause in a request, or not take its answer; 20
    #[arg(long, env = "PYTRITON_TRITON_CONFIG_BODY_TIMEOUT_SECS", value_name = "SECONDS", hide_short_help = true, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub body_timeout_secs: Option<u64>,
}

/// The bytes of a request.
pub(super) fn size() -> impl TypedValueParser<Value = usize> {
    RangedU64ValueParser::new().range(1..=LARGEST)
}

impl LimitOptions {
    /// These, and what is not given as it was.
    #[cfg(feature = "embedded")]
    pub(super) fn apply(&self, limits: Limits) -> Limits {
        let seconds = |given: Option<u64>| given.map(Duration::from_secs);
        Limits {
            max_header_bytes: self.max_header_bytes.unwrap_or(limits.max_header_bytes),
            max_headers: self.max_headers.unwrap_or(limits.max_headers),
            max_connections: self.max_connections.unwrap_or(limits.max_connections),
            header_timeout: seconds(self.header_timeout_secs).unwrap_or(limits.header_timeout),
            body_timeout: seconds(self.body_timeout_secs).unwrap_or(limits.body_timeout),
            ..limits
        }
    }

    /// The first that is given, with its dashes.
    #[cfg(tritonserver)]
    pub(super) fn given(&self) -> Option<&'static str> {
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
