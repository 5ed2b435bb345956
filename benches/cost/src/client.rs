use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::{CostError, Result};

const BODY: &str =
    r#"{"inputs":[{"name":"INPUT_1","datatype":"FP32","shape":[1,4],"data":[1.0,2.0,3.0,4.0]}]}"#;

/// The timeout for a response, far above what valgrind needs.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);

/// Sends JSON requests with additional headers over one connection, one after the other.
pub(crate) fn ask(address: &str, headers: &[String], requests: u32) -> Result<()> {
    let mut stream = BufReader::new(TcpStream::connect(address)?);
    stream.get_ref().set_nodelay(true)?;
    stream.get_ref().set_read_timeout(Some(RESPONSE_TIMEOUT))?;
    let more: String = headers
        .iter()
        .map(|header| format!("{header}\r\n"))
        .collect();
    let request = format!(
        "POST /v2/models/Identity/infer HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n{more}Content-Length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    for _ in 0..requests {
        stream.get_mut().write_all(request.as_bytes())?;
        read_response(&mut stream)?;
    }
    Ok(())
}

fn read_response(stream: &mut impl BufRead) -> Result<()> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if stream.read_line(&mut head)? == 0 {
            return Err(CostError::Answer(head));
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_length = name.eq_ignore_ascii_case("content-length");
        is_length.then(|| value.trim().parse().ok())?
    });
    let (true, Some(length)) = (head.starts_with("HTTP/1.1 200 "), length) else {
        return Err(CostError::Answer(head));
    };
    let mut body = vec![0; length];
    Ok(stream.read_exact(&mut body)?)
}
