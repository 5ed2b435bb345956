use std::path::PathBuf;

use clap::builder::BoolishValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::arguments::ReadOptions;
use crate::flags::Flags;

/// The heading of these options in `--help`.
const HEADING: &str = "TLS options";

/// The TLS options of all ports except gRPC, whose options are tritonserver's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TlsOptions {
    /// The HTTP port.
    pub http: TlsFlags,
    /// The metrics port.
    pub metrics: TlsFlags,
    /// The OpenAI port.
    pub openai: TlsFlags,
}

/// The TLS options of one port.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TlsFlags {
    /// Whether TLS is enabled.
    pub use_ssl: Option<bool>,
    /// Whether client certificates are required.
    pub mutual: Option<bool>,
    /// The certificate file.
    pub certificate: Option<PathBuf>,
    /// The key file.
    pub key: Option<PathBuf>,
    /// The file with root certificates for client certificates.
    pub roots: Option<PathBuf>,
}

/// An option of a port.
struct Flag {
    name: &'static str,
    env: &'static str,
    is_file: bool,
    help: &'static str,
}

macro_rules! flags {
    ($lower:literal $upper:literal $($ending:literal $variable:literal $is_file:literal $help:literal;)*) => {
        [$(Flag {
            name: concat!($lower, "-", $ending),
            env: concat!("PYTRITON_TRITON_CONFIG_", $upper, "_", $variable),
            is_file: $is_file,
            help: $help,
        }),*]
    };
}

const HTTP: [Flag; 5] = flags! { "http" "HTTP"
    "use-ssl" "USE_SSL" false "Enable TLS for HTTP";
    "use-ssl-mutual" "USE_SSL_MUTUAL" false "Enable TLS for HTTP and require client certificates";
    "server-cert" "SERVER_CERT" true "PEM file with the server certificate for HTTP; default: the one for gRPC";
    "server-key" "SERVER_KEY" true "PEM file with the private key of that certificate";
    "root-cert" "ROOT_CERT" true "PEM file with the root certificates for client certificates; default: the one for gRPC";
};

const METRICS: [Flag; 5] = flags! { "metrics" "METRICS"
    "use-ssl" "USE_SSL" false "Enable TLS for metrics";
    "use-ssl-mutual" "USE_SSL_MUTUAL" false "Enable TLS for metrics and require client certificates";
    "server-cert" "SERVER_CERT" true "PEM file with the server certificate for metrics; default: the one for HTTP";
    "server-key" "SERVER_KEY" true "PEM file with the private key of that certificate";
    "root-cert" "ROOT_CERT" true "PEM file with the root certificates for client certificates; default: the one for HTTP";
};

const OPENAI: [Flag; 5] = flags! { "openai" "OPENAI"
    "use-ssl" "USE_SSL" false "Enable TLS on the OpenAI port; default: as for HTTP";
    "use-ssl-mutual" "USE_SSL_MUTUAL" false "Enable TLS on the OpenAI port and require client certificates";
    "server-cert" "SERVER_CERT" true "PEM file with the server certificate for the OpenAI port; default: the one for HTTP";
    "server-key" "SERVER_KEY" true "PEM file with the private key of that certificate";
    "root-cert" "ROOT_CERT" true "PEM file with the root certificates for client certificates; default: the one for HTTP";
};

impl TlsFlags {
    /// The gRPC options among the flags for tritonserver.
    pub(crate) fn of_grpc(flags: &Flags) -> Self {
        let last = |name| flags.values(name).last();
        let switch = |name| last(name).map(|value| value == "true");
        let file = |name| last(name).map(PathBuf::from);
        Self {
            use_ssl: switch("grpc-use-ssl"),
            mutual: switch("grpc-use-ssl-mutual"),
            certificate: file("grpc-server-cert"),
            key: file("grpc-server-key"),
            roots: file("grpc-root-cert"),
        }
    }

    /// Returns whether TLS is enabled. As in tritonserver, setting the client certificate option
    /// enables it.
    pub(super) fn is_on(&self) -> bool {
        self.use_ssl == Some(true) || self.mutual.is_some()
    }

    fn of(matches: &ArgMatches, [on, mutual, certificate, key, roots]: &[Flag; 5]) -> Self {
        let switch = |flag: &Flag| matches.get_one::<bool>(flag.name).copied();
        let file = |flag: &Flag| matches.get_one::<PathBuf>(flag.name).cloned();
        Self {
            use_ssl: switch(on),
            mutual: switch(mutual),
            certificate: file(certificate),
            key: file(key),
            roots: file(roots),
        }
    }
}

impl ReadOptions for TlsOptions {
    fn declare(command: Command) -> Command {
        let flags = [&HTTP, &METRICS, &OPENAI].into_iter().flatten();
        flags.fold(command, |command, flag| command.arg(argument(flag)))
    }

    fn read(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self {
            http: TlsFlags::of(matches, &HTTP),
            metrics: TlsFlags::of(matches, &METRICS),
            openai: TlsFlags::of(matches, &OPENAI),
        })
    }
}

fn argument(flag: &Flag) -> Arg {
    let argument = Arg::new(flag.name)
        .long(flag.name)
        .env(flag.env)
        .help(flag.help)
        .help_heading(HEADING)
        .hide_short_help(true)
        .action(ArgAction::Set);
    match flag.is_file {
        true => argument
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf)),
        false => argument
            .value_name("BOOL")
            .value_parser(BoolishValueParser::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_variable_is_derived_from_the_flag() {
        for flag in [&HTTP, &METRICS, &OPENAI].into_iter().flatten() {
            let name = flag.name.replace('-', "_").to_uppercase();
            assert_eq!(flag.env, format!("PYTRITON_TRITON_CONFIG_{name}"));
        }
    }
}
