use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::{Value, json};

use crate::{DEADLINE, Result};

/// The status and the body of a response.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

/// A sent request.
pub(crate) struct PendingRequest(TcpStream);

impl PendingRequest {
    /// Reads the complete response.
    pub(crate) fn answer(mut self) -> Result<Answer> {
        let mut text = String::new();
        self.0.read_to_string(&mut text)?;
        let (head, body) = text.split_once("\r\n\r\n").ok_or("no head")?;
        let status = head.split(' ').nth(1).ok_or("no status")?;
        Ok(Answer {
            status: status.parse()?,
            body: serde_json::from_str(body).unwrap_or_else(|_| json!(body)),
        })
    }
}

/// Sends a request without waiting for the response.
pub(crate) fn send(at: SocketAddr, method: &str, path: &str, body: &str) -> Result<PendingRequest> {
    let mut stream = TcpStream::connect(at)?;
    stream.set_read_timeout(Some(DEADLINE))?;
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes())?;
    Ok(PendingRequest(stream))
}

pub(crate) fn get(at: SocketAddr, path: &str) -> Result<Answer> {
    send(at, "GET", path, "")?.answer()
}

/// Sends rows of `x` to a model.
pub(crate) fn begin(at: SocketAddr, model: &str, rows: &[&[f32]]) -> Result<PendingRequest> {
    let shape = [rows.len(), rows.first().map_or(0, |row| row.len())];
    let x = json!({"name": "x", "datatype": "FP32", "shape": shape, "data": rows.concat()});
    begin_with(at, model, &[x])
}

pub(crate) fn begin_with(at: SocketAddr, model: &str, inputs: &[Value]) -> Result<PendingRequest> {
    let body = json!({"inputs": inputs}).to_string();
    send(at, "POST", &format!("/v2/models/{model}/infer"), &body)
}

/// Returns the first output for rows of `x`, or the text of the error.
pub(crate) fn infer(at: SocketAddr, model: &str, rows: &[&[f32]]) -> Result<Value> {
    first(begin(at, model, rows)?)
}

pub(crate) fn infer_with(at: SocketAddr, model: &str, inputs: &[Value]) -> Result<Value> {
    first(begin_with(at, model, inputs)?)
}

fn first(asked: PendingRequest) -> Result<Value> {
    let mut answer = asked.answer()?;
    Ok(match answer.status {
        200 => answer.body["outputs"][0]["data"].take(),
        _ => answer.body["error"].take(),
    })
}
