//! Models with `inline = true` on a real server, called over HTTP and gRPC concurrently.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ndarray::{Array2, Ix2};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use tonic::Code;
use tonic::transport::Channel;

use crate::proto::ModelInferRequest;
use crate::proto::grpc_inference_service_client::GrpcInferenceServiceClient;
use crate::proto::model_infer_request::InferInputTensor;
use crate::registry::Registry;
use crate::runtime_models::{Function, Input, Model, Output, PerRequest};
use crate::server::{Options, Server};
use crate::testing::fp32;

const DEADLINE: Duration = Duration::from_secs(60);
const HTTP_CLIENTS: usize = 4;
const GRPC_CLIENTS: usize = 4;
/// The test `inline` of the workspace makes 25,000 calls for each client of a release build.
const CALLS_OF_EACH: usize = 400;

/// A server of that function, and the names of its worker threads.
struct Served {
    server: Server,
    _threads: Runtime,
}

impl Served {
    fn start(function: &Function) -> Self {
        let model = Model::new("Inline")
            .max_batch_size(4)
            .instances(2)
            .inline(true)
            .input(Input::new::<f32>("x", [1]))
            .output(Output::new::<u32>("y", [2]));
        let mut registry = Registry::default();
        registry
            .insert(model.registration(function).unwrap())
            .unwrap();
        let free = ["--http-port=0", "--grpc-port=0", "--metrics-port=0"];
        let options = Options::parse(free).unwrap();
        let mut threads = Builder::new_multi_thread();
        let threads = threads.worker_threads(3).enable_all().build().unwrap();
        let server = threads.block_on(Server::start(
            &registry,
            &options,
            &super::Extensions::default(),
        ));
        Self {
            server: server.unwrap(),
            _threads: threads,
        }
    }

    fn http(&self) -> SocketAddr {
        self.server.addresses().http().unwrap()
    }

    fn grpc(&self) -> SocketAddr {
        self.server.addresses().grpc().unwrap()
    }
}

/// A keep-alive connection.
struct Http(BufReader<TcpStream>);

impl Http {
    fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    /// Sends a request and returns the status and the body of the response.
    fn send(&mut self, request: &str) -> (u16, String) {
        self.0.get_mut().write_all(request.as_bytes()).unwrap();
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        let status = line[9..12].parse().unwrap();
        let mut length = 0;
        while line != "\r\n" {
            line.clear();
            self.0.read_line(&mut line).unwrap();
            let lower = line.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        (status, String::from_utf8(body).unwrap())
    }

    /// Sends a row and returns the status and the body of the response.
    fn send_row(&mut self, x: f32) -> (u16, String) {
        let body = format!(
            r#"{{"inputs":[{{"name":"x","datatype":"FP32","shape":[1,1],"data":[{x}]}}]}}"#
        );
        self.send(&format!(
            "POST /v2/models/Inline/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ))
    }

    fn infer(&mut self, x: f32) -> Vec<u32> {
        let (status, body) = self.send_row(x);
        assert_eq!(status, 200, "{body}");
        let answer: Value = serde_json::from_str(&body).unwrap();
        let data = answer["outputs"][0]["data"].as_array().unwrap();
        let elements = data.iter().map(|y| u32::try_from(y.as_u64().unwrap()));
        elements.map(|y| y.unwrap()).collect()
    }
}

/// Returns the results of a gRPC call for each value.
fn infer_over_grpc(
    address: SocketAddr,
    values: impl IntoIterator<Item = f32>,
) -> Vec<Result<Vec<u32>, tonic::Status>> {
    let mut own = Builder::new_current_thread();
    own.enable_all().build().unwrap().block_on(async {
        let channel = Channel::from_shared(format!("http://{address}")).unwrap();
        let mut client = GrpcInferenceServiceClient::new(channel.connect().await.unwrap());
        let mut answers = Vec::new();
        for value in values {
            let request = ModelInferRequest {
                model_name: "Inline".to_owned(),
                inputs: vec![InferInputTensor {
                    name: "x".to_owned(),
                    datatype: "FP32".to_owned(),
                    shape: vec![1, 1],
                    ..InferInputTensor::default()
                }],
                raw_input_contents: vec![fp32(&[value])],
                ..ModelInferRequest::default()
            };
            let answer = client.model_infer(request).await.map(|response| {
                let outputs = response.into_inner().raw_output_contents;
                let elements = outputs[0].as_chunks::<4>().0.iter();
                elements.map(|bytes| u32::from_le_bytes(*bytes)).collect()
            });
            answers.push(answer);
        }
        answers
    })
}

/// A state that is `Send` but not `Sync`. It detects concurrent calls.
struct Counter {
    instance: u32,
    calls: Cell<u32>,
    busy: AtomicBool,
}

static OVERLAPS: AtomicUsize = AtomicUsize::new(0);
/// The number of calls that were not made on an instance's own thread.
static INLINE: AtomicUsize = AtomicUsize::new(0);

impl Counter {
    /// Takes 1 to 40 µs.
    fn call(&self) -> Array2<u32> {
        let count = self.calls.get() + 1;
        if self.busy.swap(true, Ordering::SeqCst) {
            OVERLAPS.fetch_add(1, Ordering::SeqCst);
        }
        let own = thread::current();
        if !own.name().is_some_and(|name| name.starts_with("Inline_")) {
            INLINE.fetch_add(1, Ordering::SeqCst);
        }
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_micros(1 + u64::from(count % 40)) {
            std::hint::spin_loop();
        }
        self.calls.set(count);
        self.busy.store(false, Ordering::SeqCst);
        Array2::from_shape_fn((1, 2), |(_, column)| match column {
            0 => self.instance,
            _ => count,
        })
    }
}

#[test]
fn calls_over_http_and_grpc_never_overlap_on_an_instance() {
    let counter = PerRequest.stateful(|context| {
        Ok(Counter {
            instance: context.instance(),
            calls: Cell::new(0),
            busy: AtomicBool::new(false),
        })
    });
    let counting = Function::new(counter.movable(), |call| Ok(call.state.call()));
    let served = Served::start(&counting);
    let (http, grpc) = (served.http(), served.grpc());
    let answers: Vec<Vec<u32>> = thread::scope(|scope| {
        let over_http = (0..HTTP_CLIENTS).map(|_| {
            scope.spawn(move || {
                let mut connection = Http::connect(http);
                let calls = (0..CALLS_OF_EACH).map(|_| connection.infer(1.0));
                calls.collect::<Vec<_>>()
            })
        });
        let over_http: Vec<_> = over_http.collect();
        let over_grpc = (0..GRPC_CLIENTS).map(|_| {
            scope.spawn(move || {
                let answers = infer_over_grpc(grpc, [1.0; CALLS_OF_EACH]);
                answers.into_iter().map(Result::unwrap).collect()
            })
        });
        let clients: Vec<_> = over_http.into_iter().chain(over_grpc).collect();
        let answers = clients.into_iter().map(|client| client.join().unwrap());
        answers.flatten().collect()
    });
    assert_eq!(OVERLAPS.load(Ordering::SeqCst), 0);
    assert!(INLINE.load(Ordering::SeqCst) > 0);
    assert_eq!(answers.len(), (HTTP_CLIENTS + GRPC_CLIENTS) * CALLS_OF_EACH);
    let mut counts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for answer in answers {
        let of_instance = counts.entry(answer[0]).or_default();
        of_instance.push(answer[1]);
    }
    assert_eq!(counts.len(), 2);
    for mut counts in counts.into_values() {
        counts.sort_unstable();
        assert!(counts.iter().copied().eq((1..).take(counts.len())));
    }
}

#[test]
fn function_that_blocks_in_tokio_gets_an_error_that_names_the_option() {
    const CALLS: usize = 1_000;
    const BLOCKS_AT: usize = 500;
    let function = Function::new(PerRequest, |call| {
        let x = call.array::<f32, Ix2>("x")?;
        if x[[0, 0]] < 0.0 {
            let runtime = Builder::new_current_thread().build()?;
            runtime.block_on(async {});
        }
        Ok(Array2::from_elem((1, 2), 1_u32))
    });
    let served = Served::start(&function);
    let value = |number| match number {
        BLOCKS_AT => -1.0,
        _ => 1.0,
    };
    let mut connection = Http::connect(served.http());
    for number in 0..CALLS {
        let (status, body) = connection.send_row(value(number));
        let expected = match number {
            BLOCKS_AT => 500,
            _ => 200,
        };
        assert_eq!(status, expected, "{number}: {body}");
        assert_eq!(body.contains("inline = true"), status == 500, "{body}");
    }
    let answers = infer_over_grpc(served.grpc(), (0..CALLS).map(value));
    for (number, answer) in answers.into_iter().enumerate() {
        if number == BLOCKS_AT {
            let status = answer.unwrap_err();
            assert_eq!(status.code(), Code::Internal);
            assert!(status.message().contains("inline = true"), "{status}");
        } else {
            assert_eq!(answer.unwrap(), [1, 1], "{number}");
        }
    }
}

#[test]
fn blocking_inline_function_does_not_delay_health_or_other_clients() {
    const BLOCKS: Duration = Duration::from_secs(1);
    const CLIENTS: usize = 3;
    let function = Function::new(PerRequest, |call| {
        let x = call.array::<f32, Ix2>("x")?;
        if x[[0, 0]] < 0.0 {
            thread::sleep(BLOCKS);
        }
        Ok(Array2::from_elem((1, 2), 1_u32))
    });
    let served = Served::start(&function);
    let http = served.http();
    let done = Arc::new(AtomicBool::new(false));
    let longest = thread::scope(|scope| {
        let health = scope.spawn({
            let done = Arc::clone(&done);
            move || {
                let mut connection = Http::connect(http);
                let mut longest = Duration::ZERO;
                while !done.load(Ordering::SeqCst) {
                    let begun = Instant::now();
                    let live = "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
                    assert_eq!(connection.send(live).0, 200);
                    longest = longest.max(begun.elapsed());
                    thread::sleep(Duration::from_millis(5));
                }
                longest
            }
        });
        let clients = (0..CLIENTS).map(|client| {
            scope.spawn(move || {
                let mut connection = Http::connect(http);
                for number in 0..1_000 {
                    // Each client blocks once, at different times.
                    let x = if number == 100 + 300 * client {
                        -1.0
                    } else {
                        1.0
                    };
                    assert_eq!(connection.infer(x), [1, 1]);
                }
            })
        });
        let clients: Vec<_> = clients.collect();
        clients
            .into_iter()
            .for_each(|client| client.join().unwrap());
        done.store(true, Ordering::SeqCst);
        health.join().unwrap()
    });
    assert!(longest < BLOCKS * 7 / 10, "{longest:?}");
}
