//! Each engine honors or refuses every option. None is silently ignored.

use std::collections::BTreeSet;

use clap::{Args, Command};
use pytriton_embedded::server::EmbeddedError;
use pytriton_embedded::server::checks::{check_docs_port, check_openai_port, checked};
use pytriton_engine::Arguments;
use pytriton_tritonserver::server::TritonserverError;
use pytriton_tritonserver::server::checks::{check_options, check_tls};

use crate::flags::Flags;
use crate::registry::Registry;

use super::{Options, ServerError};

/// Options, and whether the embedded engine and tritonserver honor them.
type Row = (&'static [&'static str], bool, bool);

/// Options that only tritonserver knows are not listed here, but where each engine's subset is
/// defined.
const ROWS: &[Row] = &[
    (&["--config=/nonexistent"], true, true),
    (&["--allow-http=false"], true, true),
    (&["--http-address=::1"], true, true),
    (&["--http-port=1"], true, true),
    (&["--http-header-forward-pattern=x"], true, true),
    (&["--http-max-input-size=5"], true, true),
    (&["--max-bytes-in-flight=5"], true, false),
    (&["--allowed-hosts=models.example"], true, true),
    (&["--allow-grpc=false"], true, true),
    (&["--grpc-address=::1"], true, true),
    (&["--grpc-port=1"], true, true),
    (&["--grpc-header-forward-pattern=x"], true, true),
    (&["--allow-metrics=false"], true, true),
    (&["--metrics-address=::1"], true, true),
    (&["--metrics-port=1"], true, true),
    (&["--allow-openai=false"], true, true),
    // This needs a separate port, which the tritonserver engine always has.
    (&["--openai-address=::1"], false, true),
    (&["--openai-address=::1", "--openai-port=1"], true, true),
    (&["--openai-port=1"], true, true),
    (&["--allow-docs=false"], true, true),
    (&["--docs-address=::1"], false, true),
    (&["--docs-address=::1", "--docs-port=1"], true, true),
    (&["--docs-port=1"], true, true),
    (&["--docs-port=1", "--allow-http=false"], true, false),
    (&["--docs-address=::1", "--allow-http=false"], false, false),
    (&["--vertex-ai-address=::1"], true, false),
    (&["--sagemaker-address=::1"], true, false),
    (&["--exit-timeout-secs=1"], true, true),
    (&["--log-verbose=1"], true, true),
    (&["--log-format=json"], true, true),
    (&["--access-log=json"], true, false),
    (&["--traces-exporter=none"], true, true),
    (&["--restricted-endpoints=trace"], true, true),
    (&["--access-token-file=/nonexistent"], true, true),
    (&["--identity-header=X-User"], true, false),
    (&["--model=A.instances=2"], true, true),
    (&["--model-control-mode=explicit"], true, true),
    (
        &["--load-model=*", "--model-control-mode=explicit"],
        true,
        true,
    ),
    (&["--exit-on-error=false"], true, true),
    (&["--strict-readiness=false"], true, true),
    (&["--model-load-thread-count=1"], true, true),
    (&["--model-load-retry-count=1"], true, true),
    (&["--grpc-max-input-size=5"], true, false),
    (&["--max-header-bytes=2048"], true, false),
    (&["--max-headers=20"], true, false),
    (&["--max-connections=5"], true, false),
    (&["--header-timeout-secs=5"], true, false),
    (&["--body-timeout-secs=5"], true, false),
    // Selection of the engine.
    (&["--engine=auto"], true, true),
    (&["--tritonserver=/nonexistent"], true, true),
    (&["--ready-timeout-secs=5"], true, true),
    (&["--restart"], false, true),
];

/// With tritonserver, two ports have no TLS.
const TLS: [(&str, bool); 3] = [("http", false), ("metrics", false), ("openai", true)];
const FILES: [&str; 5] = [
    "use-ssl=true",
    "use-ssl-mutual=true",
    "server-cert=c",
    "server-key=k",
    "root-cert=r",
];

#[test]
fn each_option_is_honoured_or_refused_by_each_engine() {
    let mut named = BTreeSet::new();
    for (arguments, embedded, tritonserver) in ROWS {
        named.insert(name(arguments[0]));
        // The file would be read.
        let arguments = match arguments[0].starts_with("--config") {
            true => &[],
            false => *arguments,
        };
        check(arguments, *embedded, *tritonserver);
    }
    for (port, tritonserver) in TLS {
        let files = FILES.map(|file| format!("--{port}-{file}"));
        named.extend(files.iter().map(|file| name(file)));
        let arguments = files.each_ref().map(String::as_str);
        check(&arguments, true, tritonserver);
    }
    let all = Arguments::<Options>::augment_args(Command::new("all"));
    let passed_on = Arguments::<Flags>::augment_args(Command::new("passed on"));
    let names = |command: &Command| -> BTreeSet<String> {
        let longs = command.get_arguments().filter_map(|one| one.get_long());
        longs.map(str::to_owned).collect()
    };
    let expected: BTreeSet<String> = &names(&all) - &names(&passed_on);
    assert_eq!(named, expected);
}

fn name(argument: &str) -> String {
    let name = argument.split('=').next().unwrap_or_default();
    name.trim_start_matches('-').to_owned()
}

fn check(arguments: &[&str], embedded: bool, tritonserver: bool) {
    let options = Options::parse(arguments).unwrap();
    let engines = [
        (
            checked_by_embedded(&options).map_err(ServerError::from),
            embedded,
        ),
        (
            checked_by_tritonserver(&options).map_err(ServerError::from),
            tritonserver,
        ),
    ];
    for (checked, honoured) in engines {
        match checked {
            Ok(()) => assert!(honoured, "{arguments:?} is passed over"),
            Err(error) => {
                let text = error.to_string();
                assert!(!honoured, "{arguments:?}: {text}");
                assert!(
                    arguments
                        .iter()
                        .any(|one| text.contains(&format!("--{}", name(one)))),
                    "{text}"
                );
            }
        }
    }
}

fn checked_by_embedded(options: &Options) -> Result<(), EmbeddedError> {
    checked(options)?;
    options.control.check()?;
    check_docs_port(options)?;
    // The models may have OpenAI routes or not. Without them, no port is needed.
    match options.openai_address {
        Some(_) => check_openai_port(options),
        None => Ok(()),
    }
}

fn checked_by_tritonserver(options: &Options) -> Result<(), TritonserverError> {
    options.control.check()?;
    check_options(&Registry::default(), options, true)?;
    Ok(check_tls(options)?)
}
