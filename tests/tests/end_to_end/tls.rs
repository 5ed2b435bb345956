//! Certificates of a private authority, and clients that trust it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use pytriton_tests::{Engine, Finished, Result, Server, finish};
use tempfile::TempDir;

use crate::command_line::{DEADLINE, FREE_PORTS};
use crate::{MODELS, folder, python, serve};

const EXIT: Duration = Duration::from_secs(10);

/// Creates certificates with `certificates.py`, one of them in the layout of Kubernetes.
pub(crate) fn certificates() -> Result<TempDir> {
    let made = TempDir::new()?;
    let path = made.path().to_string_lossy().into_owned();
    python()?.run("certificates.py", [path.as_str()])?;
    let mounted = made.path().join("mounted");
    let version = mounted.join("..server");
    fs::create_dir_all(&version)?;
    fs::copy(made.path().join("server.pem"), version.join("tls.crt"))?;
    fs::copy(made.path().join("server.key"), version.join("tls.key"))?;
    symlink("..server", mounted.join("..data"))?;
    for name in ["tls.crt", "tls.key"] {
        symlink(format!("..data/{name}"), mounted.join(name))?;
    }
    Ok(made)
}

/// Returns `--<first>=<second>` for each pair, with the directory in place of `{}`.
fn arguments(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let folder = folder.to_string_lossy();
    let fill = |argument: &&str| argument.replace("{}", &folder);
    arguments.iter().map(fill).collect()
}

fn start(engine: Engine, asked: &[&str]) -> Result<Server> {
    let made = certificates()?;
    let asked = arguments(made.path(), asked);
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    Ok(serve(engine, &asked)?.with_folder(made))
}

/// TLS on all ports, with files that may change.
const EVERYWHERE: [&str; 6] = [
    "--grpc-use-ssl=true",
    "--http-use-ssl=true",
    "--metrics-use-ssl=true",
    "--grpc-server-cert={}/mounted/tls.crt",
    "--grpc-server-key={}/mounted/tls.key",
    "--log-verbose=1",
];

const MUTUAL: [&str; 6] = [
    "--grpc-use-ssl-mutual=true",
    "--http-use-ssl-mutual=true",
    "--metrics-use-ssl-mutual=true",
    "--grpc-server-cert={}/server.pem",
    "--grpc-server-key={}/server.key",
    "--grpc-root-cert={}/ca.pem",
];

#[test]
fn every_port_supports_tls_and_certificate_rotation_under_load() -> Result<()> {
    let server = start(Engine::Embedded, &EVERYWHERE)?;
    let ports = ["http", "grpc", "metrics", "openai", "docs"];
    assert_eq!(server.banner().tls, ports);
    python()?.test("test_tls.py", &server)?;
    let log = server.log_with(&[
        "TLS handshake with a client failed",
        "TLS handshake with a client timed out",
        "certificate loaded: it expires at",
        "certificate reloaded: it expires at",
        "does not match the first certificate in",
    ])?;
    assert_eq!(log.matches("cannot reload the certificate").count(), 4);
    server.signal("TERM")?;
    assert_eq!(server.wait(EXIT)?.0.code(), Some(0));
    Ok(())
}

#[test]
fn stopping_server_completes_accepted_requests_over_tls() -> Result<()> {
    let server = start(Engine::Embedded, &EVERYWHERE)?;
    python()?.test("test_shutdown.py", &server)?;
    assert_eq!(server.wait(EXIT)?.0.code(), Some(0));
    Ok(())
}

#[test]
fn client_certificates_are_required_on_request() -> Result<()> {
    let server = start(Engine::Embedded, &MUTUAL)?;
    python()?.test("test_tls_mutual.py", &server)
}

#[test]
fn streaming_works_over_tls() -> Result<()> {
    let server = start(Engine::Embedded, &EVERYWHERE)?;
    python()?.test("test_streaming.py", &server)
}

#[test]
fn tritonserver_has_tls_for_grpc() -> Result<()> {
    let grpc = [MUTUAL[0], MUTUAL[3], MUTUAL[4], MUTUAL[5]];
    let server = start(Engine::Tritonserver, &grpc)?;
    assert_eq!(server.banner().tls, ["grpc"]);
    python()?.test("test_tls_mutual.py", &server)
}

#[test]
fn openai_routes_next_to_tritonserver_support_tls() -> Result<()> {
    let asked = [
        "--openai-use-ssl=true",
        "--openai-server-cert={}/server.pem",
        "--openai-server-key={}/server.key",
    ];
    let server = start(Engine::Tritonserver, &asked)?;
    assert_eq!(server.banner().tls, ["openai"]);
    python()?.test("test_tls_openai.py", &server)
}

/// Runs `check` with an engine.
fn check(engine: Engine, arguments: &[String]) -> Result<Finished> {
    let mut command = engine.command(Path::new(MODELS), folder())?;
    command.args(["check", "--openai-port=0", "--docs-port=0"]);
    if !arguments
        .iter()
        .any(|argument| argument.starts_with("--http-port"))
    {
        command.args(FREE_PORTS);
    }
    finish(command.args(arguments), DEADLINE)
}

#[test]
fn every_key_format_is_accepted() -> Result<()> {
    let made = certificates()?;
    for name in [
        "server",
        "rsa_pkcs8",
        "rsa_pkcs1",
        "ec_sec1",
        "expired",
        "elsewhere",
    ] {
        let certificate = format!("--http-server-cert={{}}/{name}.pem");
        let key = format!("--http-server-key={{}}/{name}.key");
        let asked = ["--http-use-ssl=1", &certificate, &key];
        let checked = check(Engine::Embedded, &arguments(made.path(), &asked))?;
        assert!(checked.status.success(), "{name}: {}", checked.stderr);
        let expired = checked.stderr.contains(": clients refuse it");
        assert_eq!(expired, name == "expired", "{}", checked.stderr);
    }
    Ok(())
}

#[test]
fn unusable_files_are_reported() -> Result<()> {
    let made = certificates()?;
    let table = [
        ("absent.pem", "server.key", "", "/absent.pem: No such file"),
        (
            "empty.pem",
            "server.key",
            "",
            "/empty.pem contains no certificate in PEM format",
        ),
        (
            "text.pem",
            "server.key",
            "",
            "/text.pem contains no certificate in PEM format",
        ),
        (
            "server.key",
            "server.key",
            "",
            "/server.key contains no certificate in PEM format",
        ),
        ("mounted", "server.key", "", "/mounted: is a directory"),
        ("cut.pem", "server.key", "", "/cut.pem: "),
        ("damaged.pem", "server.key", "", "/damaged.pem: "),
        ("server.pem", "absent.key", "", "/absent.key: No such file"),
        (
            "server.pem",
            "server.pem",
            "",
            "/server.pem contains no private key in PEM format",
        ),
        (
            "server.pem",
            "encrypted.key",
            "",
            "/encrypted.key is encrypted",
        ),
        ("server.pem", "client.key", "", "/client.key does not match"),
        (
            "server.pem",
            "server.key",
            "empty.pem",
            "/empty.pem contains no certificate",
        ),
        (
            "server.pem",
            "server.key",
            "absent.pem",
            "/absent.pem: No such file",
        ),
    ];
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        for (certificate, key, roots, expected) in table {
            let mut asked = vec![
                "--grpc-use-ssl=true".to_owned(),
                format!("--grpc-server-cert={{}}/{certificate}"),
                format!("--grpc-server-key={{}}/{key}"),
            ];
            if !roots.is_empty() {
                asked.push("--grpc-use-ssl-mutual=true".to_owned());
                asked.push(format!("--grpc-root-cert={{}}/{roots}"));
            }
            let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
            let refused = check(engine, &arguments(made.path(), &asked))?;
            let stderr = refused.stderr;
            assert_eq!(
                refused.status.code(),
                Some(1),
                "{certificate} {key}: {stderr}"
            );
            assert!(stderr.contains(expected), "{certificate} {key}: {stderr}");
            assert!(!stderr.contains("already in use"), "{stderr}");
        }
    }
    Ok(())
}

#[test]
fn conflicting_options_are_refused() -> Result<()> {
    let made = certificates()?;
    let files = [
        "--grpc-server-cert={}/server.pem",
        "--grpc-server-key={}/server.key",
    ];
    let table: [(Engine, &[&str], &str); 6] = [
        (Engine::Embedded, &files, "TLS is disabled"),
        (Engine::Tritonserver, &files, "TLS is disabled"),
        (
            Engine::Embedded,
            &["--http-use-ssl=true"],
            "set both --http-server-cert",
        ),
        (
            Engine::Embedded,
            &[files[0], files[1], "--grpc-use-ssl-mutual=true"],
            "set --grpc-root-cert",
        ),
        (
            Engine::Tritonserver,
            &[files[0], files[1], "--http-use-ssl=true"],
            "tritonserver supports TLS for gRPC only: remove --http-use-ssl",
        ),
        (
            Engine::Embedded,
            &[
                files[0],
                files[1],
                "--grpc-use-ssl=true",
                "--http-port=47113",
                "--grpc-port=47113",
            ],
            "HTTP and gRPC share a port",
        ),
    ];
    for (engine, asked, expected) in table {
        let refused = check(engine, &arguments(made.path(), asked))?;
        assert_eq!(refused.status.code(), Some(1), "{asked:?}");
        assert!(
            refused.stderr.contains(expected),
            "{asked:?}: {}",
            refused.stderr
        );
    }
    Ok(())
}

#[test]
fn a_client_with_tls_is_refused_by_a_plain_port() -> Result<()> {
    let server = Server::start(MODELS, &[])?;
    let banner = server.banner();
    for address in [&banner.http, &banner.grpc, &banner.metrics] {
        let mut curl = Command::new("curl");
        curl.args(["-sSk", "--max-time", "10"])
            .arg(format!("https://{address}/"));
        let refused = finish(&mut curl, DEADLINE)?;
        // 35 and 56 are errors of TLS and of the connection; 28 would be a timeout.
        let code = refused.status.code();
        assert!(matches!(code, Some(35 | 56)), "{code:?} {}", refused.stderr);
    }
    Ok(())
}
