//! A connection that tritonserver keeps open after its client closed it must not prevent the end of
//! the server.

use std::fs;
use std::path::Path;
use std::time::Instant;

use pytriton_tests::{Result, Server};

use crate::calls::Calls;
use crate::draining::ends;
use crate::engine::command;
use crate::preload::preload;
use crate::process::wait_until;
use crate::{EXIT, http};

/// Starts a server whose tritonserver does not close gRPC connections of disconnected clients.
fn forgetful(home: &Path, arguments: &[&str]) -> Result<Server> {
    let library = preload(home, "lost_calls")?;
    let server = Server::spawn(command(home, arguments)?.env("LD_PRELOAD", &library))?;
    let mut calls = Calls::new("channel", &server.banner().grpc)?;
    assert_eq!(calls.line()?, "right");
    drop(calls);
    let port = server.banner().grpc.rsplit(':').next().unwrap_or_default();
    let port = format!("{:04X}", port.parse::<u16>().unwrap_or_default());
    wait_until("the end of the connection", EXIT, || !is_connected(&port));
    Ok(server)
}

/// Returns whether a port has an established connection.
fn is_connected(port: &str) -> bool {
    let tables = ["tcp", "tcp6"].map(|table| fs::read_to_string(format!("/proc/net/{table}")));
    let tables = tables.map(|table| table.unwrap_or_default());
    let mut lines = tables.iter().flat_map(|table| table.lines());
    lines.any(|line| {
        // Number, local address, remote address, state.
        let mut fields = line.split_whitespace().skip(1);
        let local = fields.next().unwrap_or_default();
        local.ends_with(port) && fields.nth(1) == Some("01")
    })
}

#[test]
fn disconnected_client_is_not_waited_for() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = forgetful(home.path(), &[])?;
    let last = Instant::now();
    server.signal("TERM")?;
    ends(server, last)?;
    Ok(())
}

#[test]
fn connected_client_receives_its_response() -> Result<()> {
    let home = tempfile::tempdir()?;
    let server = forgetful(home.path(), &[])?;
    let nap = http::nap(&server.banner().http, "Slow", 3000)?;
    server.signal("TERM")?;
    assert_eq!(http::receive(nap)?.status, 200);
    ends(server, Instant::now())?;
    Ok(())
}

/// tritonserver shuts down on its own here, because of the models of others.
#[test]
fn disconnected_client_is_not_waited_for_if_tritonserver_shuts_down_on_its_own() -> Result<()> {
    let home = tempfile::tempdir()?;
    let others = home.path().join("others");
    fs::create_dir(&others)?;
    let others = format!("--model-repository={}", others.display());
    let server = forgetful(home.path(), &[&others])?;
    server.signal("TERM")?;
    let (status, log) = server.wait(EXIT)?;
    assert_eq!(status.code(), Some(0), "{log}");
    Ok(())
}
