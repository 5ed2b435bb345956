//! Tests of the tritonserver command line.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Command, FromArgMatches};
use pytriton_engine::Arguments;
use pytriton_engine::access::{Access, AccessOptions, Follow};

use crate::triton::{Endpoints, Flags};

use super::*;

fn known() -> BTreeSet<String> {
    let ours = "model-repository backend-directory cache-directory model-control-mode exit-timeout-secs log-verbose \
                allow-http http-address http-port http-header-forward-pattern allow-grpc grpc-address grpc-port \
                grpc-header-forward-pattern allow-metrics metrics-address metrics-port http-restricted-api grpc-restricted-protocol log-file trace-config cache-config";
    ours.split_whitespace().map(str::to_owned).collect()
}

fn flags(arguments: &[&str]) -> Flags {
    let command = Arguments::<Flags>::augment_args(Command::new("test").no_binary_name(true));
    let matches = command.get_matches_from(arguments);
    Arguments::from_arg_matches(&matches).unwrap().0
}

fn launch(flags: &Flags) -> Launch {
    Launch {
        endpoints: Endpoints::default(),
        http_header_forward_pattern: String::new(),
        grpc_header_forward_pattern: String::new(),
        exit_timeout_secs: 25,
        ready_timeout_secs: 600,
        log_verbose: 0,
        max_request_bytes: Limits::default().max_request_bytes,
        repository: "/w/models".into(),
        backends: "/w/back ends".into(),
        caches: None,
        response_cache: false,
        access: Arc::default(),
        control: ControlOptions::default(),
        flags: flags.clone(),
    }
}

fn strings(launch: &Launch) -> Vec<String> {
    let (arguments, _) = arguments(launch, &known()).unwrap();
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
fn arguments_are_not_split() {
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
fn addresses_have_the_format_of_each_library() {
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
fn patterns_and_caches_are_passed_if_set() {
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
fn response_cache_has_a_default_size() {
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
            &["--cache-config=(hidden 0)", "--cache-config=(hidden 1)"],
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
fn secrets_are_not_in_the_arguments() {
    let flags = flags(&["--http-restricted-api=health:key=hunter2", "--log-file=x"]);
    let command = Command::new("test").no_binary_name(true);
    let command = Arguments::<AccessOptions>::augment_args(command);
    let matches = command.get_matches_from(["--restricted-endpoints="]);
    let Arguments(options) = Arguments::from_arg_matches(&matches).unwrap();
    let access = Access::new(&options, &flags, Follow::Log).unwrap();
    let launch = Launch {
        access: Arc::new(access),
        ..launch(&flags)
    };
    let (written, placeholders) = arguments(&launch, &known()).unwrap();
    let messages = [
        OsString::from("--http-restricted-api=(hidden 0)"),
        "--log-file=x".into(),
    ];
    assert!(written.ends_with(&messages), "{written:?}");
    let message = placeholders.message();
    assert!(message.ends_with(b"=(hidden 0)\0--http-restricted-api=health:key=hunter2\0"));
    assert!(!format!("{launch:?}").contains("hunter2"));
}

#[test]
fn cache_passwords_are_not_in_the_arguments() {
    let flags = flags(&[
        "--cache-config=local,size=1024",
        "--cache-config=redis,auth=hunter2",
    ]);
    let (written, placeholders) = arguments(&launch(&flags), &known()).unwrap();
    let messages = [
        "--cache-config=local,size=1024",
        "--cache-config=(hidden 0)",
    ]
    .map(OsString::from);
    assert!(written.ends_with(&messages), "{written:?}");
    assert!(
        placeholders
            .message()
            .ends_with(b"--cache-config=redis,auth=hunter2\0")
    );
}

#[test]
fn unknown_options_are_refused() {
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
    let (got, _) = arguments(&limited, &newer).unwrap();
    assert!(got.contains(&OsString::from("--http-max-input-size=5")));
}
