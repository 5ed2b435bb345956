use std::collections::BTreeSet;
use std::ffi::OsString;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::limits::Limits;

use super::Flags;

/// The flag that makes a response cache.
const CACHE_CONFIG: &str = "cache-config";

/// The flag for the largest request, which tritonserver knows since 25.x.
const MAX_INPUT_SIZE: &str = "http-max-input-size";

/// All that a tritonserver is told when it is started.
#[derive(Debug, Clone)]
pub struct Launch {
    /// Where it listens; what is `None` is not served.
    pub endpoints: Endpoints,
    /// Which HTTP headers become request parameters; empty for none.
    pub http_header_forward_pattern: String,
    /// Which gRPC metadata becomes request parameters; empty for none.
    pub grpc_header_forward_pattern: String,
    /// How long accepted requests have when it stops.
    pub exit_timeout_secs: u64,
    /// How much it logs beyond information.
    pub log_verbose: u8,
    /// The bytes of the largest request.
    pub max_request_bytes: usize,
    /// The folder with our models.
    pub repository: PathBuf,
    /// The folder with our backend.
    pub backends: PathBuf,
    /// The folder with the server's response caches.
    pub caches: Option<PathBuf>,
    /// Whether one of our models keeps its responses.
    pub response_cache: bool,
    /// What the user passes on.
    pub flags: Flags,
}

/// Where a tritonserver listens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Endpoints {
    /// HTTP, if it is served.
    pub http: Option<SocketAddr>,
    /// gRPC, if it is served.
    pub grpc: Option<SocketAddr>,
    /// Metrics, if they are served.
    pub metrics: Option<SocketAddr>,
}

impl Endpoints {
    /// Those that are served.
    pub fn all(&self) -> impl Iterator<Item = SocketAddr> {
        [self.http, self.grpc, self.metrics].into_iter().flatten()
    }
}

/// An option that the tritonserver at hand does not have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "this tritonserver has no option --{flag}: use another one (--tritonserver PATH) or leave the option out"
)]
pub struct UnknownFlag {
    /// The option without its dashes.
    pub flag: &'static str,
}

/// The command line of a tritonserver that knows the flags `known`: each item is one argument and is never split.
///
/// # Errors
///
/// [`UnknownFlag`] when it does not know what it is to be told.
pub fn arguments(launch: &Launch, known: &BTreeSet<String>) -> Result<Vec<OsString>, UnknownFlag> {
    let mut line = Line {
        known,
        arguments: Vec::new(),
    };
    line.path("model-repository", &launch.repository)?;
    line.path("backend-directory", &launch.backends)?;
    if let Some(caches) = launch
        .caches
        .as_ref()
        .filter(|_| !launch.flags.contains("cache-directory"))
    {
        line.path("cache-directory", caches)?;
    }
    // Without a cache tritonserver keeps nothing, whatever the models say.
    if launch.response_cache && !launch.flags.contains(CACHE_CONFIG) {
        let size = Limits::default().response_cache_bytes;
        line.flag(CACHE_CONFIG, format!("local,size={size}"))?;
    }
    // No client may load or unload models.
    line.flag("model-control-mode", "none")?;
    line.flag("exit-timeout-secs", launch.exit_timeout_secs.to_string())?;
    line.flag("log-verbose", launch.log_verbose.to_string())?;
    line.endpoints(&launch.endpoints)?;
    for (flag, pattern) in [
        (
            "http-header-forward-pattern",
            &launch.http_header_forward_pattern,
        ),
        (
            "grpc-header-forward-pattern",
            &launch.grpc_header_forward_pattern,
        ),
    ] {
        if !pattern.is_empty() {
            line.flag(flag, pattern)?;
        }
    }
    // An older server has no limit of its own: only a limit that somebody asked for is missed.
    let asked_for = launch.max_request_bytes != Limits::default().max_request_bytes;
    if asked_for || known.contains(MAX_INPUT_SIZE) {
        line.flag(MAX_INPUT_SIZE, launch.max_request_bytes.to_string())?;
    }
    for (flag, value) in launch.flags.iter() {
        line.flag(flag, value)?;
    }
    Ok(line.arguments)
}

struct Line<'a> {
    known: &'a BTreeSet<String>,
    arguments: Vec<OsString>,
}

impl Line<'_> {
    fn flag(&mut self, flag: &'static str, value: impl Into<OsString>) -> Result<(), UnknownFlag> {
        if !self.known.contains(flag) {
            return Err(UnknownFlag { flag });
        }
        let mut argument = OsString::from(format!("--{flag}="));
        argument.push(value.into());
        self.arguments.push(argument);
        Ok(())
    }

    fn path(&mut self, flag: &'static str, path: &Path) -> Result<(), UnknownFlag> {
        self.flag(flag, path)
    }

    fn endpoints(&mut self, endpoints: &Endpoints) -> Result<(), UnknownFlag> {
        // What is not served is said, what is served is tritonserver's default: older ones lack some of these flags.
        match endpoints.http {
            None => self.flag("allow-http", "false")?,
            Some(address) => {
                self.flag("http-address", evhtp(address.ip()))?;
                self.flag("http-port", address.port().to_string())?;
            }
        }
        match endpoints.grpc {
            None => self.flag("allow-grpc", "false")?,
            Some(address) => {
                self.flag("grpc-address", bracketed(address.ip()))?;
                self.flag("grpc-port", address.port().to_string())?;
            }
        }
        match endpoints.metrics {
            None => self.flag("allow-metrics", "false"),
            Some(address) => {
                self.flag("metrics-address", evhtp(address.ip()))?;
                self.flag("metrics-port", address.port().to_string())
            }
        }
    }
}

/// An address as tritonserver's HTTP library wants it.
fn evhtp(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("ipv6:{address}"),
    }
}

/// An address as gRPC wants it: tritonserver puts a colon and the port behind it.
fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::*;

    fn known() -> BTreeSet<String> {
        let ours = "model-repository backend-directory cache-directory model-control-mode exit-timeout-secs log-verbose \
                    allow-http http-address http-port http-header-forward-pattern allow-grpc grpc-address grpc-port \
                    grpc-header-forward-pattern allow-metrics metrics-address metrics-port log-file trace-config cache-config";
        ours.split_whitespace().map(str::to_owned).collect()
    }

    fn flags(arguments: &[&str]) -> Flags {
        let command = Flags::augment_args(Command::new("test").no_binary_name(true));
        Flags::from_arg_matches(&command.get_matches_from(arguments)).unwrap()
    }

    fn launch(flags: &Flags) -> Launch {
        Launch {
            endpoints: Endpoints::default(),
            http_header_forward_pattern: String::new(),
            grpc_header_forward_pattern: String::new(),
            exit_timeout_secs: 25,
            log_verbose: 0,
            max_request_bytes: Limits::default().max_request_bytes,
            repository: "/w/models".into(),
            backends: "/w/back ends".into(),
            caches: None,
            response_cache: false,
            flags: flags.clone(),
        }
    }

    fn strings(launch: &Launch) -> Vec<String> {
        let arguments = arguments(launch, &known()).unwrap();
        arguments
            .into_iter()
            .map(|argument| argument.into_string().unwrap())
            .collect()
    }

    const ALWAYS: [&str; 5] = [
        "--model-repository=/w/models",
        "--backend-directory=/w/back ends",
        "--model-control-mode=none",
        "--exit-timeout-secs=25",
        "--log-verbose=0",
    ];
    const NOTHING: [&str; 3] = [
        "--allow-http=false",
        "--allow-grpc=false",
        "--allow-metrics=false",
    ];

    #[test]
    fn each_argument_stays_one() {
        let table: &[(&[&str], &[&str])] = &[
            (&[], &[]),
            (&["--log-file=/a b.log"], &["--log-file=/a b.log"]),
            (
                &["--trace-config=x, y", "--trace-config=--z"],
                &["--trace-config=x, y", "--trace-config=--z"],
            ),
            (&["--model-repository=/more"], &["--model-repository=/more"]),
        ];
        for (given, expected) in table {
            let flags = flags(given);
            let expected = [&ALWAYS[..], &NOTHING, expected].concat();
            assert_eq!(strings(&launch(&flags)), expected, "{given:?}");
        }
    }

    #[test]
    fn addresses_are_written_as_each_library_wants_them() {
        let flags = Flags::default();
        let at = |text: &str| Some(text.parse().unwrap());
        let table = [
            (
                Endpoints {
                    http: at("127.0.0.1:80"),
                    grpc: at("0.0.0.0:81"),
                    metrics: at("10.0.0.1:82"),
                },
                ["127.0.0.1", "0.0.0.0", "10.0.0.1"],
            ),
            (
                Endpoints {
                    http: at("[::1]:80"),
                    grpc: at("[::]:81"),
                    metrics: at("[::1]:82"),
                },
                ["ipv6:::1", "[::]", "ipv6:::1"],
            ),
        ];
        for (endpoints, [http, grpc, metrics]) in table {
            let got = strings(&Launch {
                endpoints,
                ..launch(&flags)
            });
            let expected = [
                format!("--http-address={http}"),
                "--http-port=80".to_owned(),
                format!("--grpc-address={grpc}"),
                "--grpc-port=81".to_owned(),
                format!("--metrics-address={metrics}"),
                "--metrics-port=82".to_owned(),
            ];
            assert_eq!(got[ALWAYS.len()..], expected);
        }
    }

    #[test]
    fn patterns_and_caches_are_passed_where_there_are_some() {
        let (none, own) = (Flags::default(), flags(&["--cache-directory=/own"]));
        let caches = Some(PathBuf::from("/s/caches"));
        let patterned = Launch {
            http_header_forward_pattern: "a b".to_owned(),
            caches: caches.clone(),
            ..launch(&none)
        };
        let got = strings(&patterned);
        assert!(got.contains(&"--http-header-forward-pattern=a b".to_owned()));
        assert!(got.contains(&"--cache-directory=/s/caches".to_owned()));
        let got = strings(&Launch {
            caches,
            ..launch(&own)
        })
        .join(" ");
        assert!(
            got.contains("--cache-directory=/own") && !got.contains("/s/caches"),
            "{got}"
        );
    }

    #[test]
    fn models_that_keep_responses_have_a_cache_of_some_size() {
        let table: &[(bool, &[&str], &[&str])] = &[
            (false, &[], &[]),
            (true, &[], &["--cache-config=local,size=67108864"]),
            (
                true,
                &["--cache-config=local,size=1024"],
                &["--cache-config=local,size=1024"],
            ),
            (
                false,
                &["--cache-config=redis,host=a", "--cache-config=redis,port=1"],
                &["--cache-config=redis,host=a", "--cache-config=redis,port=1"],
            ),
        ];
        for (response_cache, given, expected) in table {
            let flags = flags(given);
            let mut got = strings(&Launch {
                response_cache: *response_cache,
                ..launch(&flags)
            });
            got.retain(|argument| argument.starts_with("--cache-config"));
            assert_eq!(got, *expected, "{given:?}");
        }
    }

    #[test]
    fn what_the_server_does_not_know_is_refused() {
        let flags = flags(&["--id=x"]);
        let error = arguments(&launch(&flags), &known()).unwrap_err();
        assert_eq!(error, UnknownFlag { flag: "id" });
        let none = Flags::default();
        let limited = Launch {
            max_request_bytes: 5,
            ..launch(&none)
        };
        let error = arguments(&limited, &known()).unwrap_err();
        assert_eq!(error.flag, MAX_INPUT_SIZE);
        let newer = known()
            .into_iter()
            .chain([MAX_INPUT_SIZE.to_owned()])
            .collect();
        let got = arguments(&limited, &newer).unwrap();
        assert!(got.contains(&OsString::from("--http-max-input-size=5")));
    }
}
