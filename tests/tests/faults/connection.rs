use std::io::{self, BufRead, BufReader, Error, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::http::Answer;

/// A keep-alive connection for consecutive requests. After an error, the next request opens a new
/// one.
pub(crate) struct Connection {
    address: String,
    patience: Duration,
    stream: Option<BufReader<TcpStream>>,
}

impl Connection {
    /// Creates a connection that its first request opens. `patience` is the timeout of a response.
    pub(crate) fn new(address: &str, patience: Duration) -> Self {
        Self {
            address: address.to_owned(),
            patience,
            stream: None,
        }
    }

    /// Sends a JSON request to a model.
    pub(crate) fn infer(&mut self, model: &str, body: &str) -> io::Result<Answer> {
        self.post(&format!("/v2/models/{model}/infer"), body)
    }

    /// Sends a request and reads the response.
    pub(crate) fn post(&mut self, path: &str, body: &str) -> io::Result<Answer> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => self.open()?,
        };
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.get_mut().write_all(request.as_bytes())?;
        let answer = answer(&mut stream)?;
        self.stream = Some(stream);
        Ok(answer)
    }

    fn open(&self) -> io::Result<BufReader<TcpStream>> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(self.patience))?;
        stream.set_write_timeout(Some(self.patience))?;
        Ok(BufReader::new(stream))
    }
}

fn answer(stream: &mut BufReader<TcpStream>) -> io::Result<Answer> {
    let bad = |line: &str| Error::new(ErrorKind::InvalidData, line.to_owned());
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.ok_or_else(|| bad(&line))?;
    let mut length = 0;
    loop {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().map_err(|_| bad(&line))?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    let body = String::from_utf8(body).map_err(|error| bad(&error.to_string()))?;
    Ok(Answer { status, body })
}
