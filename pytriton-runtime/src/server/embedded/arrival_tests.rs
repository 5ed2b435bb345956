//! The order of gRPC calls on one connection, frame by frame.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use ndarray::Ix2;
use parking_lot::Mutex;
use prost::Message;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::call::{Call, Execution, Instance};
use crate::proto::infer_parameter::ParameterChoice;
use crate::proto::model_infer_request::InferInputTensor;
use crate::proto::{InferParameter, ModelInferRequest};
use crate::registry::{ModelDeclaration, ModelOptions, Registry, SequenceScheduling};
use crate::testing::{GATE, IDENTITY, fp32};

use super::Server;
use super::tests::options;

const DEADLINE: Duration = Duration::from_secs(20);

/// The number of concurrent requests of a connection.
const REQUESTS: u16 = 100;

/// The requests that the model has executed, in order.
static EXECUTED: Mutex<Vec<f32>> = Mutex::new(Vec::new());

/// Serializes the tests that read [`EXECUTED`].
static TEST: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

struct Recorder;

impl Instance for Recorder {
    fn execute<'a>(&'a self, call: &'a Call<'a>) -> Execution<'a> {
        Box::pin(async move {
            let x = call.array::<f32, Ix2>(0)?;
            EXECUTED.lock().extend(x.iter());
            call.outputs(Ok::<_, String>(x.into_owned()))
        })
    }
}

const MODEL: ModelDeclaration = ModelDeclaration {
    options: ModelOptions {
        name: "Recorder",
        sequence_batching: Some(SequenceScheduling::Direct),
        max_sequence_idle_microseconds: 60_000_000,
        ..IDENTITY.options
    },
    load: |_| Ok(Box::new(Recorder)),
    ..IDENTITY
};

async fn connect() -> (Server, TcpStream) {
    let registry = Registry::new(&[&MODEL, &IDENTITY]).unwrap();
    let server = Server::start(&registry, &options(&[]), &super::Extensions::default())
        .await
        .unwrap();
    let address = server.addresses().grpc().unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    stream.write_all(preface).await.unwrap();
    stream.write_all(&frame(4, 0, 0, &[])).await.unwrap();
    EXECUTED.lock().clear();
    (server, stream)
}

pub(super) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, length @ ..] = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let stream = stream.to_be_bytes();
    [&length, &[kind, flags][..], &stream, payload].concat()
}

/// The headers of an inference call.
fn headers(stream: u32) -> Vec<u8> {
    headers_of(stream, "/inference.GRPCInferenceService/ModelInfer")
}

/// The headers of a call to `path`.
pub(super) fn headers_of(stream: u32, path: &str) -> Vec<u8> {
    // `:method: POST`, `:scheme: http`. Names are table indexes, or literals after a zero byte.
    let mut block = vec![0x83, 0x86];
    let fields: [(&[u8], &str); 5] = [
        (&[0x01], "x"),
        (&[0x04], path),
        (&[0x0f, 0x10], "application/grpc"),
        (b"\x00\x02te", "trailers"),
        (b"\x00\x0dgrpc-encoding", "gzip"),
    ];
    for (name, value) in fields {
        block.extend_from_slice(name);
        block.push(u8::try_from(value.len()).unwrap());
        block.extend_from_slice(value.as_bytes());
    }
    frame(1, 4, stream, &block)
}

/// A request with one element.
fn request(model: &str, x: f32) -> ModelInferRequest {
    ModelInferRequest {
        model_name: model.to_owned(),
        inputs: vec![InferInputTensor {
            name: "INPUT_1".to_owned(),
            datatype: "FP32".to_owned(),
            shape: vec![1, 1],
            ..InferInputTensor::default()
        }],
        raw_input_contents: vec![fp32(&[x])],
        ..ModelInferRequest::default()
    }
}

/// The length-prefixed message of request `number` of a sequence.
fn message(number: u16, compressed: bool) -> Vec<u8> {
    let parameter = |name: &str, choice| {
        let parameter_choice = Some(choice);
        (name.to_owned(), InferParameter { parameter_choice })
    };
    let start = ParameterChoice::BoolParam(number == 0);
    let end = ParameterChoice::BoolParam(number + 1 == REQUESTS);
    let request = ModelInferRequest {
        parameters: [
            parameter("sequence_id", ParameterChoice::Int64Param(1)),
            parameter("sequence_start", start),
            parameter("sequence_end", end),
        ]
        .into(),
        ..request("Recorder", f32::from(number))
    };
    encoded(&request, compressed)
}

fn encoded(request: &ModelInferRequest, compressed: bool) -> Vec<u8> {
    let mut message = request.encode_to_vec();
    if compressed {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&message).unwrap();
        message = encoder.finish().unwrap();
    }
    let length = u32::try_from(message.len()).unwrap().to_be_bytes();
    [&[u8::from(compressed)], &length[..], &message].concat()
}

fn stream_of(number: u16) -> u32 {
    2 * u32::from(number) + 1
}

/// A call whose body is sent in one of several ways. Some of them take longer to decode.
fn call(number: u16) -> Vec<u8> {
    let stream = stream_of(number);
    let body = message(number, number % 3 == 1);
    let body = match number % 4 {
        0 | 1 => frame(0, 1, stream, &body),
        2 => {
            let (first, second) = body.split_at(3);
            [frame(0, 0, stream, first), frame(0, 1, stream, second)].concat()
        }
        _ => [frame(0, 0, stream, &body), frame(0, 1, stream, &[])].concat(),
    };
    [headers(stream), body].concat()
}

async fn executed(count: u16) -> Vec<f32> {
    let executed = async {
        while EXECUTED.lock().len() < usize::from(count) {
            sleep(Duration::from_millis(1)).await;
        }
    };
    let in_time = timeout(DEADLINE, executed).await;
    let executed = EXECUTED.lock().clone();
    assert!(in_time.is_ok(), "{executed:?}");
    executed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_of_a_sequence_are_executed_in_the_order_of_their_arrival() {
    let _test = TEST.lock().await;
    for size in [1 << 20, 997, 100, 31] {
        let (server, mut client) = connect().await;
        let calls: Vec<u8> = (0..REQUESTS).flat_map(call).collect();
        // The data is split at different points, as on a network.
        for piece in calls.chunks(size) {
            client.write_all(piece).await.unwrap();
            tokio::task::yield_now().await;
        }
        let expected: Vec<f32> = (0..REQUESTS).map(f32::from).collect();
        assert_eq!(executed(REQUESTS).await, expected, "{size}");
        drop(client);
        assert!(server.stop(DEADLINE).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn slow_call_of_another_model_does_not_block_a_sequence() {
    let _test = TEST.lock().await;
    let gate = GATE.lock().await;
    let (server, mut client) = connect().await;
    // The function waits for the gate.
    let slow = encoded(&request("Identity", -5.0), false);
    let calls = [
        headers(1),
        frame(0, 1, 1, &slow),
        headers(3),
        frame(0, 1, 3, &message(0, false)),
    ];
    client.write_all(&calls.concat()).await.unwrap();
    assert_eq!(executed(1).await, [0.0]);
    drop(gate);
    drop(client);
    assert!(server.stop(DEADLINE).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn incomplete_call_does_not_block_others() {
    let _test = TEST.lock().await;
    let (server, mut client) = connect().await;
    client.write_all(&call(0)).await.unwrap();
    assert_eq!(executed(1).await, [0.0]);
    // For one request only the headers have arrived, for another one half of the message.
    let late = message(3, false);
    let start = [
        headers(stream_of(1)),
        headers(stream_of(3)),
        frame(0, 0, stream_of(3), &late[..20]),
        call(4),
        call(5),
    ];
    client.write_all(&start.concat()).await.unwrap();
    assert_eq!(executed(3).await, [0.0, 4.0, 5.0]);
    let rest = [
        frame(0, 1, stream_of(3), &late[20..]),
        call(6),
        frame(0, 1, stream_of(1), &message(1, true)),
        call(7),
    ];
    client.write_all(&rest.concat()).await.unwrap();
    let executed = executed(7).await;
    let place = |value| executed.iter().position(|executed| *executed == value);
    assert!(place(3.0) < place(6.0) && place(6.0) < place(7.0) && place(1.0) < place(7.0));
    drop(client);
    assert!(server.stop(DEADLINE).await);
}
