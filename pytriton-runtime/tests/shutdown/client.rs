use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// No request takes longer.
const DEADLINE: Duration = Duration::from_secs(20);

/// Waits until a condition holds.
pub(crate) fn wait_until(what: &str, deadline: Duration, mut done: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < deadline, "waited for {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

pub(crate) fn connects(address: SocketAddr) -> bool {
    TcpStream::connect(address).is_ok()
}

/// Returns a port that is currently free.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn connect(address: SocketAddr) -> Option<TcpStream> {
    let stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    Some(stream)
}

/// Sends a request on a new connection. Returns the response, if any.
pub(crate) fn exchange(address: SocketAddr, line: &str, body: &str) -> Option<String> {
    let length = body.len();
    let head = "HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length";
    let mut stream = connect(address)?;
    let request = format!("{line} {head}: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    (!answer.is_empty()).then_some(answer)
}

fn status(answer: &str) -> Option<u16> {
    answer.split(' ').nth(1)?.parse().ok()
}

pub(crate) fn get(address: SocketAddr, path: &str) -> Option<u16> {
    status(&exchange(address, &format!("GET {path}"), "")?)
}

pub(crate) fn post(address: SocketAddr, model: &str, body: &str) -> Option<u16> {
    let line = format!("POST /v2/models/{model}/infer");
    status(&exchange(address, &line, body)?)
}

/// A keep-alive connection.
pub(crate) struct Kept(TcpStream);

impl Kept {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self(connect(address).unwrap())
    }

    /// Returns the status, or `None` if the connection is closed.
    pub(crate) fn get(&mut self, path: &str) -> Option<u16> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        self.0.write_all(request.as_bytes()).ok()?;
        let mut answer = [0; 1000];
        let length = self.0.read(&mut answer).ok()?;
        status(&String::from_utf8_lossy(&answer[..length]))
    }
}

/// A request to the OpenAI routes whose body arrives slowly.
pub(crate) struct Partial {
    stream: TcpStream,
    left: usize,
}

impl Partial {
    const BODY: &str = r#"{"model":"letters","prompt":"abc""#;
    const BLANKS: usize = 10_000;

    pub(crate) fn begin(address: SocketAddr) -> Self {
        let mut stream = connect(address).unwrap();
        let head = "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length";
        let length = Self::BODY.len() + Self::BLANKS + 1;
        let begin = format!("{head}: {length}\r\n\r\n{}", Self::BODY);
        stream.write_all(begin.as_bytes()).unwrap();
        // At this point, the accepted request has been read.
        let mut known = Kept::new(address);
        assert_eq!(known.get("/v1/models"), Some(200));
        Self {
            stream,
            left: Self::BLANKS,
        }
    }

    /// Sends a byte. Errors do not matter.
    pub(crate) fn go_on(&mut self) {
        if self.stream.write_all(b" ").is_ok() {
            self.left -= 1;
        }
    }

    /// Sends the rest and returns the response.
    pub(crate) fn end(mut self) -> String {
        let rest = " ".repeat(self.left) + "}";
        self.stream.write_all(rest.as_bytes()).unwrap();
        let mut answer = String::new();
        self.stream.read_to_string(&mut answer).unwrap();
        answer
    }
}

pub(crate) mod grpc {
    use std::net::SocketAddr;

    use futures_util::stream::pending;
    use pytriton_runtime::proto::grpc_inference_service_client::GrpcInferenceServiceClient;
    use pytriton_runtime::proto::infer_parameter::ParameterChoice;
    use pytriton_runtime::proto::model_infer_request::InferInputTensor;
    use pytriton_runtime::proto::{InferParameter, ModelInferRequest};
    use tokio::runtime::Runtime;
    use tonic::transport::Channel;

    type Client = GrpcInferenceServiceClient<Channel>;

    async fn connect(address: SocketAddr) -> Client {
        let endpoint = Channel::from_shared(format!("http://{address}")).unwrap();
        Client::new(endpoint.connect().await.unwrap())
    }

    /// Returns the response of `Sums` to the first request of a sequence.
    pub(crate) fn sequence(address: SocketAddr, id: u8) -> Result<f32, tonic::Code> {
        let parameter = |choice| InferParameter {
            parameter_choice: Some(choice),
        };
        let request = ModelInferRequest {
            model_name: "Sums".to_owned(),
            parameters: [
                (
                    "sequence_id".to_owned(),
                    parameter(ParameterChoice::Int64Param(id.into())),
                ),
                (
                    "sequence_start".to_owned(),
                    parameter(ParameterChoice::BoolParam(true)),
                ),
            ]
            .into(),
            inputs: vec![InferInputTensor {
                name: "x".to_owned(),
                datatype: "FP32".to_owned(),
                shape: vec![1, 1],
                ..InferInputTensor::default()
            }],
            raw_input_contents: vec![f32::from(id).to_le_bytes().to_vec().into()],
            ..ModelInferRequest::default()
        };
        Runtime::new().unwrap().block_on(async {
            let response = connect(address).await.model_infer(request).await;
            let response = response.map_err(|status| status.code())?.into_inner();
            let bytes = &response.raw_output_contents[0];
            Ok(f32::from_le_bytes(bytes[..4].try_into().unwrap()))
        })
    }

    /// Opens a stream without requests. It lives as long as the runtime.
    pub(crate) fn open_stream(address: SocketAddr) -> Runtime {
        let runtime = Runtime::new().unwrap();
        let opened = runtime.block_on(connect(address));
        let (send, open) = std::sync::mpsc::channel();
        runtime.spawn(async move {
            let mut client = opened;
            send.send(()).unwrap();
            let _ = client
                .model_stream_infer(pending::<ModelInferRequest>())
                .await;
        });
        open.recv().unwrap();
        runtime
    }
}
