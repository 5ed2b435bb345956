//! Serves files with the program, and requests them over HTTP.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails as a test does")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use pytriton_test_onnx::OnnxFile;

/// The time for a start, a response or an exit. Other tests may run at the same time.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A server that is killed when this is dropped.
struct Server {
    child: Child,
    /// The output of the program until it was ready.
    banner: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(folder: &Path, files: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_pytriton"))
            .current_dir(folder)
            .arg("serve")
            .args(files)
            .args([
                "--engine=embedded",
                "--http-port=0",
                "--grpc-port=0",
                "--metrics-port=0",
            ])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut server = Self {
            child,
            banner: String::new(),
        };
        let (sender, receiver) = channel();
        thread::spawn(move || {
            lines
                .map_while(Result::ok)
                .try_for_each(|line| sender.send(line))
        });
        let deadline = Instant::now() + TIMEOUT;
        while !server.banner.ends_with("ready\n") {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = receiver.recv_timeout(left);
            server.banner += &line.unwrap_or_else(|error| panic!("{error}: {}", server.banner));
            server.banner.push('\n');
        }
        server
    }

    /// Returns the status and the body of a response.
    fn post(&self, path: &str, body: &str) -> String {
        let address = self.banner.split("http://").nth(1).unwrap();
        let address = address.split_whitespace().next().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response
    }
}

/// Returns the status and the output of a program that exits by itself.
fn exit(command: &mut Command) -> Output {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + TIMEOUT;
    while child.try_wait().unwrap().is_none() {
        if Instant::now() > deadline {
            child.kill().unwrap();
            panic!("{command:?} did not exit");
        }
        thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().unwrap()
}

#[test]
fn every_file_is_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let fixed = OnnxFile::new()
        .input("x", OnnxFile::FLOAT, "")
        .output("y", OnnxFile::FLOAT, "")
        .node("Neg", &["x"], &["y"]);
    std::fs::write(
        folder.path().join("affine.onnx"),
        OnnxFile::affine().encode(),
    )
    .unwrap();
    std::fs::write(folder.path().join("minus.v2.onnx"), fixed.encode()).unwrap();
    let server = Server::start(folder.path(), &["affine.onnx", "./minus.v2.onnx"]);
    assert!(
        server
            .banner
            .contains("./minus.v2.onnx: no batching: axis 0 of `x: FLOAT []` has no name"),
        "{}",
        server.banner
    );
    let response = server.post(
        "/v2/models/affine/infer",
        r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[2,3],"data":[1,0,0,1,1,1]}]}"#,
    );
    assert!(
        response.contains(r#""shape":[2,2],"data":[1.5,1.5,9.5,11.5]"#),
        "{response}"
    );
    let response = server.post(
        "/v2/models/minus.v2/infer",
        r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"data":[4]}]}"#,
    );
    assert!(
        response.contains(r#""shape":[1],"data":[-4.0]"#),
        "{response}"
    );
}

#[test]
fn option_declares_the_batch() {
    let folder = tempfile::tempdir().unwrap();
    let steps = OnnxFile::new()
        .input("x", OnnxFile::FLOAT, "time 1")
        .output("y", OnnxFile::FLOAT, "time 1")
        .node("Neg", &["x"], &["y"]);
    std::fs::write(folder.path().join("steps.onnx"), steps.encode()).unwrap();
    let server = Server::start(folder.path(), &["steps.onnx"]);
    let reason = "steps.onnx: no batching: axis 0 of `x: FLOAT [time, 1]` is named `time`";
    assert!(server.banner.contains(reason), "{}", server.banner);
    let server = Server::start(folder.path(), &["--batching", "steps.onnx"]);
    assert!(!server.banner.contains("no batching"), "{}", server.banner);
    let response = server.post(
        "/v2/models/steps/infer",
        r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[2,1],"data":[1,2]}]}"#,
    );
    assert!(
        response.contains(r#""shape":[2,1],"data":[-1.0,-2.0]"#),
        "{response}"
    );
}

#[test]
fn inputs_of_different_sizes_are_a_bad_request() {
    let folder = tempfile::tempdir().unwrap();
    let sum = OnnxFile::new()
        .input("x", OnnxFile::FLOAT, "batch length")
        .input("z", OnnxFile::FLOAT, "batch length")
        .output("y", OnnxFile::FLOAT, "batch length")
        .node("Add", &["x", "z"], &["y"]);
    std::fs::write(folder.path().join("sum.onnx"), sum.encode()).unwrap();
    let server = Server::start(folder.path(), &["sum.onnx"]);
    let response = server.post(
        "/v2/models/sum/infer",
        r#"{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2]},{"name":"z","datatype":"FP32","shape":[1,1],"data":[1]}]}"#,
    );
    assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
}

#[test]
fn file_that_cannot_be_served_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("text.onnx"), "text").unwrap();
    let sequence = OnnxFile::new()
        .input("x", OnnxFile::COMPLEX64, "n")
        .output("y", 1, "n");
    std::fs::write(folder.path().join("complex.onnx"), sequence.encode()).unwrap();
    for (file, code, expected) in [
        (
            "nowhere.onnx",
            1,
            "error: `nowhere.onnx`: cannot read `nowhere.onnx`: ",
        ),
        (
            "text.onnx",
            1,
            "error: `text.onnx`: the file is not valid: ",
        ),
        ("complex.onnx", 1, "error: `complex.onnx`: "),
        (
            "",
            2,
            "error: expected one or more ONNX files after `serve`",
        ),
    ] {
        let output = exit(
            Command::new(env!("CARGO_BIN_EXE_pytriton"))
                .current_dir(folder.path())
                .arg("serve")
                .args(Some(file).filter(|file| !file.is_empty())),
        );
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.starts_with(expected), "{file}: {text}");
        assert_eq!(output.status.code(), Some(code), "{file}");
    }
}
