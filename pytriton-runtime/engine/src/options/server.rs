use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{Args, Command, FromArgMatches};
use pytriton_core::registry::Registry;
use pytriton_kserve::{LogFormat, LogSettings};
use pytriton_net::AllowedHosts;

use crate::access::AccessOptions;
use crate::arguments::options;
use crate::logging::{AccessLogFormat, access_log_parser, log_format_parser};
use crate::settings::{ResolveError, resolve};
use crate::tls::TlsOptions;
use crate::trace::{TracesExporter, traces_exporter_parser};
use crate::{Arguments, HeaderForward, Limits};

use super::limits::size;
use super::memory::memory;
use super::{ControlOptions, LimitOptions, OptionsError, OverrideOptions, TritonOptions};

options! {
    /// The options of the server. The names are tritonserver's.
    #[derive(Debug, Clone)]
    #[non_exhaustive]
    pub struct Options {
        /// TOML file with options. Precedence: flag, environment, file
        #[arg(long, env = "PYTRITON_CONFIG", value_name = "FILE")]
        pub config: Option<PathBuf>,

        /// Serve HTTP
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_ALLOW_HTTP", value_name = "BOOL", default_value = "true", value_parser = BoolishValueParser::new(), action = clap::ArgAction::Set)]
        pub allow_http: bool,

        /// Address for HTTP
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_HTTP_ADDRESS",
            default_value = "127.0.0.1"
        )]
        pub http_address: IpAddr,

        /// Port for HTTP; 0 selects a free one
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_HTTP_PORT",
            value_name = "PORT",
            default_value_t = 8000
        )]
        pub http_port: u16,

        /// Regular expression: HTTP headers with matching names become request parameters
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_HTTP_HEADER_FORWARD_PATTERN",
            value_name = "PATTERN",
            default_value = "",
            value_parser = HeaderForward::new
        )]
        pub http_header_forward_pattern: HeaderForward,

        /// Maximum size of a request in bytes, over HTTP and gRPC
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_HTTP_MAX_INPUT_SIZE", value_name = "BYTES", default_value_t = Limits::default().max_request_bytes, value_parser = size())]
        pub http_max_input_size: usize,

        /// Maximum size of all requests and responses in memory, in bytes; default: a quarter of
        /// the available memory. Embedded engine only
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_MAX_BYTES_IN_FLIGHT",
            value_name = "BYTES"
        )]
        pub max_bytes_in_flight: Option<usize>,

        /// Host names that clients may use, and whose web pages may send requests, in addition to
        /// IP addresses and localhost; * allows all. By default, only plain-text ports on loopback
        /// addresses check names. tritonserver's own ports never do
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_ALLOWED_HOSTS",
            value_name = "NAME,…",
            value_parser = AllowedHosts::parse
        )]
        pub allowed_hosts: Option<AllowedHosts>,

        /// Serve gRPC
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_ALLOW_GRPC", value_name = "BOOL", default_value = "true", value_parser = BoolishValueParser::new(), action = clap::ArgAction::Set)]
        pub allow_grpc: bool,

        /// Address for gRPC
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_GRPC_ADDRESS",
            default_value = "127.0.0.1"
        )]
        pub grpc_address: IpAddr,

        /// Port for gRPC; 0 selects a free one. May be the HTTP port
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_GRPC_PORT",
            value_name = "PORT",
            default_value_t = 8001
        )]
        pub grpc_port: u16,

        /// Regular expression: gRPC metadata with matching names become request parameters
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_GRPC_HEADER_FORWARD_PATTERN",
            value_name = "PATTERN",
            default_value = "",
            value_parser = HeaderForward::new
        )]
        pub grpc_header_forward_pattern: HeaderForward,

        /// Serve metrics
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_ALLOW_METRICS", value_name = "BOOL", default_value = "true", value_parser = BoolishValueParser::new(), action = clap::ArgAction::Set)]
        pub allow_metrics: bool,

        /// Address for metrics; default: the HTTP address
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_METRICS_ADDRESS")]
        pub metrics_address: Option<IpAddr>,

        /// Port for metrics; 0 selects a free one
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_METRICS_PORT",
            value_name = "PORT",
            default_value_t = 8002
        )]
        pub metrics_port: u16,

        /// Serve the OpenAI routes if a model has them
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_ALLOW_OPENAI", value_name = "BOOL", default_value = "true", value_parser = BoolishValueParser::new(), action = clap::ArgAction::Set)]
        pub allow_openai: bool,

        /// Address for the OpenAI routes; default: the HTTP address
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_OPENAI_ADDRESS")]
        pub openai_address: Option<IpAddr>,

        /// Port for the OpenAI routes if a model has them; 0 selects a free one. Default with
        /// tritonserver: 8003. The embedded engine always serves them on the HTTP port and, if
        /// given, on this port as well
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_OPENAI_PORT", value_name = "PORT")]
        pub openai_port: Option<u16>,

        /// Serve the interactive docs page at /docs, and its OpenAPI document at /openapi.json
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_ALLOW_DOCS", value_name = "BOOL", default_value = "true", value_parser = BoolishValueParser::new(), action = clap::ArgAction::Set)]
        pub allow_docs: bool,

        /// Address for the docs page; default: the HTTP address
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_DOCS_ADDRESS")]
        pub docs_address: Option<IpAddr>,

        /// Separate port for the docs page and the routes that it uses; 0 selects a free one.
        /// Default with tritonserver: 8004. The embedded engine always serves it on the HTTP port
        /// and, if given, on this port as well
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_DOCS_PORT", value_name = "PORT")]
        pub docs_port: Option<u16>,

        /// Address for the Vertex AI routes; default: the HTTP address. Embedded engine only
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_VERTEX_AI_ADDRESS")]
        pub vertex_ai_address: Option<IpAddr>,

        /// Address for the SageMaker routes; default: the HTTP address. Embedded engine only
        #[arg(long, env = "PYTRITON_TRITON_CONFIG_SAGEMAKER_ADDRESS")]
        pub sagemaker_address: Option<IpAddr>,

        /// Seconds within which accepted requests must complete when the server stops
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_EXIT_TIMEOUT_SECS",
            value_name = "SECONDS",
            default_value_t = 25
        )]
        pub exit_timeout_secs: u64,

        /// 0 logs information, warnings and errors; 1 adds debug lines, 2 and higher trace lines;
        /// RUST_LOG allows finer control
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_LOG_VERBOSE",
            value_name = "LEVEL",
            default_value = "0",
            value_parser = log_verbose
        )]
        pub log_verbose: u8,

        /// Format of the log lines
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_LOG_FORMAT",
            value_parser = log_format_parser(),
            default_value = "human"
        )]
        pub log_format: LogFormat,

        /// Log each request in one line: text or json. Embedded engine only
        #[arg(
            long,
            env = "PYTRITON_TRITON_CONFIG_ACCESS_LOG",
            value_parser = access_log_parser(),
            value_name = "FORMAT"
        )]
        pub access_log: Option<AccessLogFormat>,

        /// Exporter for spans: `otlp` sends them over HTTP to OTEL_EXPORTER_OTLP_ENDPOINT (feature
        /// `otel`)
        #[arg(
            long,
            env = "OTEL_TRACES_EXPORTER",
            value_parser = traces_exporter_parser(),
            default_value = "none"
        )]
        pub traces_exporter: TracesExporter,
    }

    groups {
        /// Access control.
        pub access: AccessOptions,

        /// Options of models.
        pub overrides: OverrideOptions,

        /// Model control: which models are loaded.
        pub control: ControlOptions,

        /// Limits of the embedded engine.
        pub limits: LimitOptions,

        /// Certificates of all ports except gRPC.
        pub tls: TlsOptions,

        /// Options of the tritonserver engine.
        pub triton: TritonOptions,
    }
}

impl Options {
    /// Parses command-line arguments. Options that they do not set come from the environment, the
    /// file named by `--config`, or the defaults.
    ///
    /// # Errors
    ///
    /// Returns [`OptionsError::Arguments`], which names the argument or variable, or
    /// [`OptionsError::Configuration`] with every mistake in the file.
    ///
    /// # Examples
    ///
    /// ```
    /// use pytriton_engine::options::Options;
    ///
    /// let options = Options::parse(["--http-port=0"]).unwrap();
    /// assert_eq!(options.http_port, 0);
    /// assert!(Options::parse(["--http-port=many"]).is_err());
    /// ```
    pub fn parse<A: Into<OsString> + Clone>(
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Self, OptionsError> {
        let command = Command::new("options")
            .no_binary_name(true)
            .disable_help_flag(true);
        let command = Arguments::<Self>::augment_args(command);
        let arguments = arguments.into_iter().map(Into::into).collect();
        let resolved = resolve(&command, arguments)?;
        let parsed = Arguments::from_arg_matches(&resolved.matches);
        let Arguments(options) = parsed.map_err(ResolveError::from)?;
        Ok(options)
    }

    /// Returns the option for the port or address of the docs page, if given and the page is
    /// allowed.
    pub fn docs_option(&self) -> Option<&'static str> {
        let given = match (self.docs_port, self.docs_address) {
            (Some(_), _) => Some("--docs-port"),
            (None, Some(_)) => Some("--docs-address"),
            (None, None) => None,
        };
        given.filter(|_| self.allow_docs)
    }

    /// Returns the models, without their OpenAI routes if these are disabled.
    pub fn served(&self, models: Registry) -> Registry {
        match self.allow_openai {
            true => models,
            false => models.without_openai(),
        }
    }

    /// Returns whether HTTP and gRPC share one port.
    pub fn shares_port(&self) -> bool {
        let [http, grpc, _] = self.endpoints();
        http == grpc && http.is_some_and(|http| http.port() != 0)
    }

    /// Returns the addresses of HTTP, gRPC and metrics, as far as these are enabled.
    pub fn endpoints(&self) -> [Option<SocketAddr>; 3] {
        let at = |allowed: bool, address, port| allowed.then_some(SocketAddr::new(address, port));
        let metrics_address = self.metrics_address.unwrap_or(self.http_address);
        [
            at(self.allow_http, self.http_address, self.http_port),
            at(self.allow_grpc, self.grpc_address, self.grpc_port),
            at(self.allow_metrics, metrics_address, self.metrics_port),
        ]
    }

    /// Returns the initial log settings.
    pub fn log_settings(&self) -> LogSettings {
        let flags = &self.triton.flags;
        let on = |name| flags.values(name).all(|value| value == "true");
        LogSettings {
            info: on("log-info"),
            warning: on("log-warning"),
            error: on("log-error"),
            verbose: self.log_verbose.into(),
            format: self.log_format,
            file: String::new(),
        }
    }

    /// Returns the largest gRPC message in bytes.
    pub fn grpc_max_input_size(&self) -> usize {
        let own = self.limits.grpc_max_input_size;
        own.unwrap_or(self.http_max_input_size)
    }

    /// Returns the limits without the size of the response cache.
    pub fn bounds(&self) -> Limits {
        let default = self.limits.apply(Limits::default());
        let largest = self.http_max_input_size.max(self.grpc_max_input_size());
        Limits {
            max_request_bytes: self.http_max_input_size,
            max_bytes_in_flight: self.max_bytes_in_flight.unwrap_or_else(|| {
                let quarter = memory().map(|memory| memory / 4);
                // A single request of the largest size must fit.
                quarter.map_or(default.max_bytes_in_flight, |quarter| {
                    quarter.max(largest.saturating_mul(2))
                })
            }),
            ..default
        }
    }
}

/// Parses a log level. Triton also accepts `true` and `false`.
fn log_verbose(text: &str) -> Result<u8, String> {
    match text {
        "true" => Ok(1),
        "false" => Ok(0),
        _ => text
            .parse()
            .map_err(|_| "expected a number from 0 to 255, true or false".to_owned()),
    }
}
