use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use pytriton_tests::Result;

/// The time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: String,
}

/// Sends the start of a request, or all of it; the caller sends the rest.
pub(crate) fn send(address: &str, path: &str, length: usize, body: &[u8]) -> Result<TcpStream> {
    send_with(address, path, "X: x", length, body)
}

/// Does the same with an additional header.
pub(crate) fn send_with(
    address: &str,
    path: &str,
    header: &str,
    length: usize,
    body: &[u8],
) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let method = if length == 0 { "GET" } else { "POST" };
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\n{header}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    );
    // A single write, because tritonserver's HTTP library mishandles a request line in several
    // segments.
    stream.write_all(&[head.as_bytes(), body].concat())?;
    Ok(stream)
}

/// Sends a request with an additional header, and reads the response.
pub(crate) fn post(address: &str, path: &str, header: &str, body: &[u8]) -> Result<Answer> {
    receive(send_with(address, path, header, body.len(), body)?)
}

/// Reads a complete response.
pub(crate) fn receive(mut stream: TcpStream) -> Result<Answer> {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    Ok(Answer {
        status: status.unwrap_or_default(),
        body: body.to_owned(),
    })
}

/// Sends a GET request.
pub(crate) fn get(address: &str, path: &str) -> Result<Answer> {
    receive(send(address, path, 0, b"")?)
}

/// Sends a JSON request to a model.
pub(crate) fn infer(address: &str, model: &str, inputs: &str) -> Result<Answer> {
    let body = format!(r#"{{"inputs":[{inputs}]}}"#);
    let path = format!("/v2/models/{model}/infer");
    receive(send(address, &path, body.len(), body.as_bytes())?)
}

/// Starts a nap without waiting for its end.
pub(crate) fn nap(address: &str, model: &str, milliseconds: u32) -> Result<TcpStream> {
    let body = format!(
        r#"{{"inputs":[{{"name":"milliseconds","datatype":"UINT32","shape":[1,1],"data":[{milliseconds}]}}]}}"#
    );
    let path = format!("/v2/models/{model}/infer");
    send(address, &path, body.len(), body.as_bytes())
}

/// Returns whether a valid request has a correct response.
pub(crate) fn right(address: &str) -> bool {
    let inputs = r#"{"name":"a","datatype":"FP32","shape":[1,2],"data":[3,5]},{"name":"b","datatype":"FP32","shape":[1,2],"data":[1,2]}"#;
    let answer = infer(address, "AddSub", inputs);
    answer.is_ok_and(|answer| {
        let body = answer.body.replace(".0", "").replace(' ', "");
        answer.status == 200 && body.contains("[4,7]") && body.contains("[2,3]")
    })
}

/// Returns the value of a metric, or 0 if it does not exist.
pub(crate) fn metric(address: &str, family: &str, model: &str) -> Result<f64> {
    let page = get(address, "/metrics")?.body;
    let labels = format!("model=\"{model}\"");
    let mut lines = page.lines().filter(|line| line.starts_with(family));
    let line = lines.find(|line| line.contains(&labels));
    let value = line.and_then(|line| line.rsplit(' ').next()?.parse().ok());
    Ok(value.unwrap_or_default())
}
