use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use pytriton_runtime::model::ModelSpec;
use pytriton_runtime::registry::Registry;
use pytriton_runtime::triton::install;
use pytriton_runtime::worker::{BACKEND_LIBRARY, BACKEND_NAME, Worker};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// The status and the body of a response; the status is 0 if the connection was closed.
pub(crate) type Answer = (u16, String);

/// A worker in this process and a tritonserver in front of it.
pub(crate) struct TestServer {
    folder: TempDir,
    runtime: Runtime,
    worker: Option<Worker>,
    environment: Vec<(&'static str, String)>,
    server: std::sync::Mutex<Child>,
    port: u16,
}

impl TestServer {
    pub(crate) fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let registry = Registry::collect().unwrap();
        lay_out(folder.path(), &registry);
        let runtime = Runtime::new().unwrap();
        let worker = runtime
            .block_on(Worker::start(&registry, folder.path()))
            .unwrap();
        let environment: Vec<_> = worker.environment().collect();
        let port = free_port();
        let server = spawn(folder.path(), &environment, port);
        let server = Self {
            folder,
            runtime,
            worker: Some(worker),
            environment,
            server: server.into(),
            port,
        };
        server.ready();
        server
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn kill(&self) {
        let mut server = self.server.lock().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
    }

    pub(crate) fn restart(&mut self) {
        self.port = free_port();
        self.server = spawn(self.folder.path(), &self.environment, self.port).into();
        self.ready();
    }

    pub(crate) fn stop_worker(&mut self) {
        let worker = self.worker.take().unwrap();
        let deadline = tokio::time::Instant::now() + Duration::from_secs(5);
        assert!(self.runtime.block_on(worker.stop(deadline)));
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        exchange(
            self.port,
            format!("GET {path} HTTP/1.1\r\nConnection: close\r\n\r\n").as_bytes(),
        )
    }

    /// Sends a row of zeros as binary data, and returns the status and the length of the response.
    pub(crate) fn binary(&self, model: &str, columns: usize) -> (u16, usize) {
        let bytes = columns * 4;
        let head = format!(
            r#"{{"inputs":[{{"name":"x","datatype":"FP32","shape":[1,{columns}],"parameters":{{"binary_data_size":{bytes}}}}}],"parameters":{{"binary_data_output":true}}}}"#
        );
        let length = head.len() + bytes;
        let headers = format!("Inference-Header-Content-Length: {}\r\n", head.len());
        let mut request = post(model, &headers, length).into_bytes();
        request.extend_from_slice(head.as_bytes());
        request.resize(request.len() + bytes, 0);
        let (status, body) = exchange(self.port, &request);
        (status, body.len())
    }

    /// Returns the shared memory of tritonserver, in bytes.
    pub(crate) fn shared_memory(&self) -> usize {
        let server = self.server.lock().unwrap().id();
        let text = fs::read_to_string(format!("/proc/{server}/status")).unwrap();
        let mut lines = text.lines();
        let line = lines.find(|line| line.starts_with("RssShmem:")).unwrap();
        let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kilobytes << 10
    }

    fn ready(&self) {
        ready(self.port);
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let server = self.server.get_mut().unwrap();
        let _ = server.kill();
        let _ = server.wait();
    }
}

pub(crate) fn infer(server: &TestServer, model: &str, body: &str) -> Answer {
    infer_at(server.port, model, body)
}

pub(crate) fn infer_at(port: u16, model: &str, body: &str) -> Answer {
    exchange(
        port,
        format!("{}{body}", post(model, "", body.len())).as_bytes(),
    )
}

/// Returns a request with one row.
pub(crate) fn json(input: &str, values: &[f32]) -> String {
    let columns = values.len();
    format!(
        r#"{{"inputs":[{{"name":"{input}","datatype":"FP32","shape":[1,{columns}],"data":{values:?}}}]}}"#
    )
}

fn spawn(folder: &Path, environment: &[(&str, String)], port: u16) -> Child {
    let installed = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let installed = installed.join("cache/pytriton/tritonserver/2.51.0");
    let installed = install::install_to(&installed).unwrap().folder;
    let log = fs::File::create(folder.join("log")).unwrap();
    Command::new(installed.join("bin/tritonserver"))
        .arg("--backend-directory")
        .arg(folder.join("backends"))
        .arg("--model-repository")
        .arg(folder.join("models"))
        .args([
            "--allow-grpc=false",
            "--allow-metrics=false",
            "--http-address=127.0.0.1",
        ])
        .arg(format!("--http-port={port}"))
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}

fn lay_out(folder: &Path, registry: &Registry) {
    let backend = folder.join("backends").join(BACKEND_NAME);
    fs::create_dir_all(&backend).unwrap();
    let library = backend.join(format!("libtriton_{BACKEND_NAME}.so"));
    fs::write(library, BACKEND_LIBRARY.unwrap()).unwrap();
    for spec in registry.iter() {
        let model = folder.join("models").join(&*spec.name);
        fs::create_dir_all(model.join(spec.version.to_string())).unwrap();
        fs::write(model.join("config.pbtxt"), config(spec)).unwrap();
    }
}

fn config(spec: &ModelSpec) -> String {
    let mut text = format!(
        "backend: \"{BACKEND_NAME}\"\nmax_batch_size: {}\ninstance_group [ {{ count: {}, kind: KIND_CPU }} ]\n",
        spec.max_batch_size,
        spec.instances.count()
    );
    let inputs = spec.inputs.iter().map(|tensor| ("input", tensor));
    let outputs = spec.outputs.iter().map(|tensor| ("output", tensor));
    for (kind, tensor) in inputs.chain(outputs) {
        let optional = if tensor.optional {
            ", optional: true"
        } else {
            ""
        };
        text += &format!(
            "{kind} [ {{ name: \"{}\", data_type: {}, dims: {:?}{optional} }} ]\n",
            tensor.name,
            tensor.datatype.config_name(),
            tensor.dims
        );
    }
    if spec.dynamic_batching().is_some() {
        text += "dynamic_batching { }\n";
    }
    text
}

fn ready(port: u16) {
    let deadline = Instant::now() + Duration::from_secs(20);
    let request = b"GET /v2/health/ready HTTP/1.1\r\nConnection: close\r\n\r\n";
    while exchange(port, request).0 != 200 {
        assert!(Instant::now() < deadline, "tritonserver is not ready");
        thread::sleep(Duration::from_millis(20));
    }
}

fn post(model: &str, headers: &str, length: usize) -> String {
    format!(
        "POST /v2/models/{model}/infer HTTP/1.1\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n"
    )
}

fn exchange(port: u16, request: &[u8]) -> Answer {
    let cut = (0, String::new());
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else {
        return cut;
    };
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    let mut bytes = Vec::new();
    if stream.write_all(request).is_err() || stream.read_to_end(&mut bytes).is_err() {
        return cut;
    }
    let text = String::from_utf8_lossy(&bytes);
    let status = text
        .split_whitespace()
        .nth(1)
        .and_then(|status| status.parse().ok());
    let body = text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
    status.zip(body).unwrap_or(cut)
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}
