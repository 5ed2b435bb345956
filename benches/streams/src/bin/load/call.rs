use bytes::{Buf, BufMut, Bytes, BytesMut};
use h2::client::SendRequest;
use h2::{FlowControl, RecvStream};
use http::{HeaderMap, Request};
use prost::Message;
use pytriton_runtime::proto::ModelInferRequest;
use pytriton_runtime::proto::model_infer_request::InferInputTensor;
use tokio::net::TcpStream;

use crate::error::Error;

/// The flow-control window, larger than the data in flight between server and client.
const WINDOW: u32 = 1 << 20;
/// The length of the prefix of a message: the compression flag and the length.
const HEAD: usize = 5;

/// A call that can be sent repeatedly.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    method: &'static str,
    message: Bytes,
}

impl Call {
    pub(crate) fn unary(model: &str) -> Self {
        Self::new("ModelInfer", model, 1)
    }

    pub(crate) fn stream(model: &str, answers: i64) -> Self {
        Self::new("ModelStreamInfer", model, answers)
    }

    fn new(method: &'static str, model: &str, answers: i64) -> Self {
        let input = InferInputTensor {
            name: "count".to_owned(),
            datatype: "INT64".to_owned(),
            shape: vec![1],
            ..InferInputTensor::default()
        };
        let request = ModelInferRequest {
            model_name: model.to_owned(),
            inputs: vec![input],
            raw_input_contents: vec![Bytes::copy_from_slice(&answers.to_le_bytes())],
            ..ModelInferRequest::default()
        };
        let mut message = BytesMut::new();
        message.put_u8(0);
        message.put_u32(u32::try_from(request.encoded_len()).unwrap_or(u32::MAX));
        message.put(&*request.encode_to_vec());
        Self {
            method,
            message: message.freeze(),
        }
    }
}

/// A connection that several concurrent calls can share.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    authority: String,
    requests: SendRequest<Bytes>,
}

impl Connection {
    pub(crate) async fn open(address: &str) -> Result<Self, Error> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let mut builder = h2::client::Builder::new();
        builder
            .initial_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            // The benchmark sends many small frames.
            .data_frame_budget(usize::MAX);
        let (requests, connection) = builder.handshake(stream).await?;
        tokio::spawn(connection);
        Ok(Self {
            authority: address.to_owned(),
            requests,
        })
    }

    /// Sends the call and closes the request stream.
    pub(crate) async fn send(&mut self, call: &Call) -> Result<Responses, Error> {
        let uri = format!(
            "http://{}/inference.GRPCInferenceService/{}",
            self.authority, call.method
        );
        let request = Request::post(uri)
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(())?;
        let mut requests = self.requests.clone().ready().await?;
        let (response, mut body) = requests.send_request(request, false)?;
        body.send_data(call.message.clone(), true)?;
        let response = response.await?;
        failed(response.headers())?;
        Ok(Responses {
            body: response.into_body(),
            buffered: BytesMut::new(),
            counted: 0,
        })
    }
}

/// The responses of a call as they arrive.
#[derive(Debug)]
pub(crate) struct Responses {
    body: RecvStream,
    buffered: BytesMut,
    counted: i64,
}

impl Responses {
    /// Waits for the first response.
    pub(crate) async fn first(&mut self) -> Result<(), Error> {
        while self.counted == 0 {
            if !self.more().await? {
                return Err(Error::Answers {
                    expected: 1,
                    came: 0,
                });
            }
        }
        Ok(())
    }

    /// Counts all responses.
    pub(crate) async fn count(mut self) -> Result<i64, Error> {
        while self.more().await? {}
        if let Some(trailers) = self.body.trailers().await? {
            failed(&trailers)?;
        }
        Ok(self.counted)
    }

    async fn more(&mut self) -> Result<bool, Error> {
        let Some(data) = self.body.data().await else {
            return Ok(false);
        };
        let data = data?;
        let flow: &mut FlowControl = self.body.flow_control();
        flow.release_capacity(data.len())?;
        self.buffered.put(data);
        while let Some(length) = self.buffered.get(1..HEAD) {
            let frame_len = HEAD
                + length
                    .iter()
                    .fold(0, |sum, &byte| sum << 8 | usize::from(byte));
            if self.buffered.len() < frame_len {
                break;
            }
            self.buffered.advance(frame_len);
            self.counted += 1;
        }
        Ok(true)
    }
}

fn failed(headers: &HeaderMap) -> Result<(), Error> {
    match headers.get("grpc-status") {
        Some(status) if status != "0" => {
            let message = headers.get("grpc-message");
            Err(Error::Status(format!("{status:?} {message:?}")))
        }
        _ => Ok(()),
    }
}
