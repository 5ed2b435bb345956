//! The limits that apply to the routes of a program, and those that do not.

use std::io::{Read, Write};
use std::net::TcpStream;

use pytriton_tests::{Result, Server};

use crate::command_line::DEADLINE;
use crate::own_program::respond;

const PROGRAM: &str = env!("CARGO_BIN_EXE_own_routes");
const INFER: &str = "/v2/models/Double/infer";

#[test]
fn limits_of_models_do_not_apply_to_own_routes() -> Result<()> {
    let limits = [
        "--http-max-input-size=1000",
        "--max-header-bytes=1024",
        "--restricted-endpoints=statistics",
    ];
    let server = Server::start(PROGRAM, &limits)?;
    let query = "x".repeat(2000);
    let (some, most) = ("x".repeat(5000), "x".repeat(3 << 20));
    for (method, path, body, expected) in [
        ("GET", format!("/v2?{query}"), "", "431 "),
        ("GET", format!("/double/1.5?{query}"), "", "\r\n\r\n3"),
        ("POST", INFER.to_owned(), &*some, "400 Bad Request"),
        ("POST", "/length".to_owned(), &some, "\r\n\r\n5000"),
        ("POST", "/length".to_owned(), &most, "413 "),
        ("POST", "/upload".to_owned(), &most, "\r\n\r\n3145728"),
        ("GET", "/v2/models/stats".to_owned(), "", "403 "),
        ("GET", "/double/1.5".to_owned(), "", "200 OK"),
    ] {
        let response = respond(&server, method, &path, body)?;
        assert!(response.contains(expected), "{path:.20}: {response}");
    }
    Ok(())
}

/// Sends a part of a request to a path.
fn begin(server: &Server, path: &str) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(&server.banner().http)?;
    stream.set_read_timeout(Some(DEADLINE))?;
    let head = "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 10\r\n\r\n";
    write!(stream, "POST {path} {head}01")?;
    Ok(stream)
}

#[test]
fn a_client_that_stops_sending_to_an_own_route_keeps_its_connection() -> Result<()> {
    let server = Server::start(PROGRAM, &["--body-timeout-secs=1"])?;
    let mut own = begin(&server, "/length")?;
    let mut response = String::new();
    begin(&server, INFER)?.read_to_string(&mut response)?;
    let error = "no data of the request body arrived for 1 seconds";
    assert!(response.contains(error), "{response}");
    // The route of the program has waited for longer.
    own.write_all(b"23456789")?;
    response.clear();
    own.read_to_string(&mut response)?;
    assert!(response.ends_with("\r\n\r\n10"), "{response}");
    Ok(())
}

#[test]
fn the_connection_limit_applies_to_own_routes() -> Result<()> {
    let server = Server::start(PROGRAM, &["--max-connections=1"])?;
    let _only = begin(&server, "/length")?;
    for (path, expected) in [
        ("/double/1.5", "503 "),
        ("/length", "503 "),
        ("/v2/health/live", "200 OK"),
    ] {
        let response = respond(&server, "GET", path, "")?;
        assert!(response.contains(expected), "{path}: {response}");
    }
    Ok(())
}
