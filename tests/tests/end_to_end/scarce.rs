//! A server with a low limit of open files.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;

use pytriton_tests::{Result, Server};

use crate::MODELS;
use crate::command_line::{DEADLINE, FREE_PORTS};

const SHORTAGE: &str = "cannot accept connections";

fn connect(address: &str) -> Result<TcpStream> {
    let connection = TcpStream::connect(address)?;
    connection.set_read_timeout(Some(DEADLINE))?;
    Ok(connection)
}

fn ask(connection: &mut TcpStream) -> Result<()> {
    connection.write_all(b"GET /v2/health/ready HTTP/1.1\r\nhost: localhost\r\n\r\n")?;
    let mut answer = Vec::new();
    while !answer.ends_with(b"{\"ready\":true}") {
        let mut more = [0; 1024];
        let read = connection.read(&mut more)?;
        assert!(read > 0, "{}", String::from_utf8_lossy(&answer));
        answer.extend_from_slice(&more[..read]);
    }
    Ok(())
}

#[test]
fn descriptor_shortage_is_logged_once() -> Result<()> {
    let ports = FREE_PORTS.join(" ");
    let serve = format!("ulimit -n 100 && exec '{MODELS}' {ports}");
    let server = Server::spawn(Command::new("sh").args(["-c", &serve]))?;
    let address = &*server.banner().http;
    let mut early = connect(address)?;
    ask(&mut early)?;
    let others = (0..200).map(|_| connect(address));
    let others = others.collect::<Result<Vec<_>>>()?;
    // The system has accepted the connection; the server accepts it when others are closed.
    let mut late = connect(address)?;
    server.log_with(&[SHORTAGE])?;
    ask(&mut early)?;
    drop(others);
    ask(&mut late)?;
    for _ in 0..200 {
        ask(&mut connect(address)?)?;
    }
    ask(&mut early)?;
    let log = server.log()?;
    assert_eq!(log.matches(SHORTAGE).count(), 1, "{log}");
    assert!(log.contains("os error 24"), "{log}");
    Ok(())
}
