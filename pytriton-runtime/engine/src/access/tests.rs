use std::fs;
use std::path::Path;
use std::time::Duration;

use clap::{Args, Command, FromArgMatches};
use pytriton_kserve::openapi::ServedRoutes;
use tokio::time::{Instant, sleep};

use super::token_watcher::POLL_INTERVAL;
use super::{Access, AccessOptions, Closed, Follow, Group, Protocol, default_routes};
use crate::Arguments;
use crate::flags::Flags;

/// The groups that the token restricts by default.
const DEFAULT: &str = "shared-memory,model-repository,statistics,trace,logging";

/// The header of the token.
const HEADER: &str = "triton-access-token";

const OLD: &str = "the-old-one-is-it";
const NEW: &str = "the-new-one-is-it";

fn access(arguments: &[&str]) -> Access {
    let command = Command::new("test").no_binary_name(true);
    let command = Arguments::<AccessOptions>::augment_args(command);
    let command = Arguments::<Flags>::augment_args(command);
    let matches = command.get_matches_from(arguments);
    let Arguments(options) = Arguments::from_arg_matches(&matches).unwrap();
    let Arguments(flags) = Arguments::from_arg_matches(&matches).unwrap();
    // With this, a token in a file changes only when `reload` is called.
    Access::new(&options, &flags, Follow::Log).unwrap()
}

fn names(access: &Access, protocol: Protocol) -> Vec<(String, String)> {
    let closed = access.closed(protocol).iter().map(Closed::restricted);
    closed
        .map(|(key, groups)| {
            let groups: Vec<&str> = groups.iter().map(|group| group.name()).collect();
            (key.to_owned(), groups.join(","))
        })
        .collect()
}

/// Returns the header and the value that a client must send for a group.
fn key(access: &Access, protocol: Protocol, group: Group) -> Option<(String, String)> {
    let (header, secret) = access.key(protocol, group)?;
    Some((header, secret.expose().to_owned()))
}

#[test]
fn user_headers_take_precedence_over_the_token() {
    let token = |groups: &str| (HEADER.to_owned(), groups.to_owned());
    let default = token(DEFAULT);
    let table: [(&[&str], Vec<_>, Vec<_>); 4] = [
        (&[], vec![default.clone()], vec![default.clone()]),
        (&["--restricted-endpoints="], vec![], vec![]),
        (
            &["--http-restricted-api=statistics,health:K=hunter2"],
            vec![
                ("K".to_owned(), "statistics,health".to_owned()),
                token("shared-memory,model-repository,trace,logging"),
            ],
            vec![default],
        ),
        (
            &[
                "--restricted-endpoints=trace",
                "--grpc-restricted-protocol=trace:k=hunter2",
            ],
            vec![token("trace")],
            vec![("k".to_owned(), "trace".to_owned())],
        ),
    ];
    for (arguments, http, grpc) in table {
        let access = access(arguments);
        assert_eq!(names(&access, Protocol::Http), http, "{arguments:?}");
        assert_eq!(names(&access, Protocol::Grpc), grpc, "{arguments:?}");
        let debug = format!("{access:?}");
        assert!(!debug.contains("hunter2"), "{debug}");
    }
}

#[test]
fn a_group_opens_with_the_header_of_its_restriction() {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), format!("{NEW}\n{OLD}")).unwrap();
    let path = file.path().to_str().unwrap();
    let access = access(&[
        "--access-token-file",
        path,
        "--restricted-endpoints=trace,statistics",
        "--grpc-restricted-protocol=trace,logging:k=a=b",
    ]);
    let metadata = |key: &str| format!("triton-grpc-protocol-{key}");
    let table = [
        (Protocol::Http, Group::Trace, Some((HEADER.to_owned(), NEW))),
        (Protocol::Http, Group::Logging, None),
        (Protocol::Grpc, Group::Trace, Some((metadata("k"), "a=b"))),
        (
            Protocol::Grpc,
            Group::Statistics,
            Some((metadata(HEADER), NEW)),
        ),
        (Protocol::Grpc, Group::Health, None),
    ];
    for (protocol, group, expected) in table {
        let expected = expected.map(|(header, value)| (header, value.to_owned()));
        assert_eq!(
            key(&access, protocol, group),
            expected,
            "{protocol:?} {group:?}"
        );
    }
    let (http, grpc) = ("http-restricted-api", "grpc-restricted-protocol");
    let expected = [
        (http, format!("trace,statistics:{HEADER}={NEW}")),
        (grpc, "trace,logging:k=a=b".to_owned()),
        (grpc, format!("statistics:{HEADER}={NEW}")),
    ];
    assert_eq!(access.options(), expected);
}

#[test]
fn a_server_without_options_restricts_the_default_groups() {
    let groups = [
        Group::Logging,
        Group::ModelRepository,
        Group::SharedMemory,
        Group::Statistics,
        Group::Trace,
    ];
    let expected = ServedRoutes::new([(HEADER, groups.as_slice())], false);
    assert_eq!(format!("{:?}", default_routes()), format!("{expected:?}"));
}

#[test]
fn only_a_generated_token_is_shown() {
    let generated = access(&[]);
    let token = generated.generated_token().unwrap();
    let notice = generated.token_notice().unwrap();
    let (groups, file) = notice.split_once("; token in ").unwrap();
    assert_eq!(groups, DEFAULT.replace(',', ", "));
    assert_eq!(fs::read_to_string(file).unwrap().trim_end(), token.expose());

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    fs::write(&file, OLD).unwrap();
    let option = format!("--access-token-file={}", file.display());
    let given = access(&[&option, "--restricted-endpoints=trace"]);
    assert!(given.generated_token().is_none());
    let expected = format!("trace; token in {}", file.display());
    assert_eq!(given.token_notice(), Some(expected));

    // The user's own headers open other groups, or a group over one protocol only.
    for (own, expected) in [
        (
            "--http-restricted-api=health:triton-access-token=other",
            DEFAULT,
        ),
        (
            "--http-restricted-api=statistics:K=hunter2",
            "shared-memory,model-repository,trace,logging,statistics",
        ),
    ] {
        let notice = access(&[own]).token_notice().unwrap();
        let (groups, _) = notice.split_once("; token in ").unwrap();
        assert_eq!(groups, expected.replace(',', ", "), "{own}");
    }

    let open = access(&["--restricted-endpoints="]);
    assert!(open.generated_token().is_none());
    assert_eq!(open.token_notice(), None);
}

/// Reloads a token file that contains `OLD`. Returns whether `NEW` is in effect, and the time that
/// the reload took. The file is written before the reload, and again while it waits.
async fn reload(before: &str, while_waiting: &str) -> (bool, Duration) {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), OLD).unwrap();
    let path: &Path = file.path();
    let access = access(&["--access-token-file", path.to_str().unwrap()]);
    fs::write(path, before).unwrap();
    let begun = Instant::now();
    let write = async {
        sleep(POLL_INTERVAL / 2).await;
        fs::write(path, while_waiting).unwrap();
    };
    let reload = async {
        access.reload().await;
        begun.elapsed()
    };
    let (took, ()) = tokio::join!(reload, write);
    let (_, token) = key(&access, Protocol::Http, Group::Trace).unwrap();
    assert!([OLD, NEW].contains(&token.as_str()), "{token}");
    (token == NEW, took)
}

#[tokio::test(start_paused = true)]
async fn a_reloaded_token_applies_if_two_reads_agree() {
    let table = [
        // Before, while waiting, whether the new token is in effect.
        (OLD, NEW, false),
        (NEW, NEW, true),
        ("the-new-one-is-written-in-parts", NEW, false),
        ("too short", NEW, false),
        (NEW, "too short", false),
    ];
    for (before, while_waiting, expected) in table {
        let (applies, took) = reload(before, while_waiting).await;
        assert_eq!(applies, expected, "{before} {while_waiting}");
        // An unchanged file is not read twice.
        assert_eq!(took.is_zero(), before == OLD, "{before} {while_waiting}");
    }
}
