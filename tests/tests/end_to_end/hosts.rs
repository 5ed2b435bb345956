//! The checks against web pages, on the ports that both engines open themselves.

use std::io::{Read, Write};
use std::net::TcpStream;

use pytriton_tests::{Engine, Result, finish};

use crate::command_line::{DEADLINE, FREE_PORTS};
use crate::{MODELS, folder, serve};

/// Returns the status line of a request with these headers.
fn status(address: &str, path: &str, headers: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(DEADLINE))?;
    let request = format!("GET {path} HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response)?;
    let response = String::from_utf8_lossy(&response);
    Ok(response.lines().next().unwrap_or_default().to_owned())
}

#[test]
fn docs_and_openai_ports_accept_only_allowed_hosts() -> Result<()> {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        for (arguments, named) in [
            (&[][..], "421"),
            (&["--allowed-hosts=models.example"], "200"),
        ] {
            let server = serve(engine, arguments)?;
            let banner = server.banner();
            for (address, path) in [
                (&banner.openai, "/v1/models"),
                (&banner.docs, "/openapi.json"),
            ] {
                let address = address.as_deref().unwrap_or_default();
                for (host, expected) in [
                    (address, "200"),
                    ("localhost", "200"),
                    ("models.example", named),
                    ("page.example", "421"),
                ] {
                    let line = status(address, path, &format!("Host: {host}"))?;
                    let what = format!("{engine:?} {arguments:?} {path} {host}: {line}");
                    assert!(line.starts_with(&format!("HTTP/1.1 {expected}")), "{what}");
                    let expected = expected.replace("421", "403");
                    let headers = format!("Host: localhost\r\nOrigin: http://{host}");
                    let line = status(address, path, &headers)?;
                    let what = format!("{engine:?} {arguments:?} {path} {headers}: {line}");
                    assert!(line.starts_with(&format!("HTTP/1.1 {expected}")), "{what}");
                }
            }
        }
    }
    Ok(())
}

/// tritonserver's own ports do not check host names.
#[test]
fn allowed_hosts_require_a_port_that_checks_them() -> Result<()> {
    let mut command = Engine::Tritonserver.command(MODELS.as_ref(), folder())?;
    command.args(FREE_PORTS).args([
        "--allow-docs=false",
        "--allow-openai=false",
        "--allowed-hosts=models.example",
    ]);
    let refused = finish(&mut command, DEADLINE)?;
    assert_eq!(refused.status.code(), Some(1), "{}", refused.stderr);
    let expected = "the tritonserver engine does not support --allowed-hosts";
    assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    Ok(())
}
