use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::program;

/// Lets the system choose the ports.
pub(crate) const FREE_PORTS: [&str; 3] = ["--http-port=0", "--grpc-port=0", "--metrics-port=0"];

const DEADLINE: Duration = Duration::from_secs(20);

/// Starts the engine, and sends a request to the model `Double`.
pub(crate) fn serves(asked_for: &str, engine: &str) {
    let mut command = program();
    command.args(FREE_PORTS).args(["--engine", asked_for]);
    serves_as(command, asked_for, engine);
}

/// Does the same for a command that executes the server, with a name for its log.
pub(crate) fn serves_as(command: Command, name: &str, engine: &str) {
    let server = Server::start(command, name);
    let banner = server.until("pytriton ");
    assert!(banner.contains(&format!("engine {engine} (")), "{banner}");
    let http = server.until("  http ");
    let (_, address) = http.split_once("http://").unwrap();
    server.until("ready");
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    let body = r#"{"inputs":[{"name":"x","datatype":"INT32","shape":[1,2],"data":[3,4]}]}"#;
    let length = body.len();
    let request = format!(
        "POST /v2/models/Double/infer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains(r#""data":[6,8]"#), "{answer}");
    server.stop();
}

/// A server that is killed when it is dropped.
struct Server {
    child: Child,
    lines: Receiver<String>,
    log: PathBuf,
}

impl Server {
    fn start(mut command: Command, name: &str) -> Self {
        let log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.log"));
        command
            .stdout(Stdio::piped())
            .stderr(File::create(&log).unwrap());
        let mut child = command.spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let _ = sender.send(line.unwrap());
            }
        });
        Self { child, lines, log }
    }

    /// Returns the lines up to the one with this prefix.
    fn until(&self, beginning: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(DEADLINE).unwrap();
            if line.starts_with(beginning) {
                return line;
            }
        }
    }

    fn stop(mut self) {
        let kill = format!("kill -TERM {}", self.child.id());
        let status = Command::new("sh").args(["-c", &kill]).status();
        assert!(status.unwrap().success());
        let begun = Instant::now();
        while begun.elapsed() < DEADLINE {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return;
            }
            thread::sleep(Duration::from_millis(2));
        }
        panic!("the server does not stop");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            eprintln!("{}", fs::read_to_string(&self.log).unwrap_or_default());
        }
    }
}
