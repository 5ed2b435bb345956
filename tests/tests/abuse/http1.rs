//! Abuse over HTTP/1.1.

use std::io::{self, Write};
use std::net::TcpStream;

use crate::bodies::{BOMB, EXCESS, HEAVY, INPUTS, NESTED, PARAMETERS};
use crate::scene::{Scene, read_to_end, write_what_is_taken};

type Outcomes = io::Result<Vec<String>>;

/// More connections than the limit of a port.
const CONNECTIONS: usize = 1200;

/// The part of a large body that is sent.
const HALF: usize = 24 << 20;

/// The size of a response that exceeds the buffers of a connection.
pub(crate) const LARGE_RESPONSE: usize = 4 << 20;

fn head(model: &str, header: &str, length: usize) -> String {
    format!(
        "POST /v2/models/{model}/infer HTTP/1.1\r\nHost: localhost\r\n{header}Content-Length: {length}\r\n"
    )
}

pub(crate) fn request(model: &str, header: &str, body: &[u8]) -> Vec<u8> {
    let head = head(model, header, body.len()) + "\r\n";
    [head.as_bytes(), body].concat()
}

/// Returns a request whose response has as many bytes as its tensor.
pub(crate) fn identity(bytes: usize) -> Vec<u8> {
    let header = format!(
        r#"{{"inputs":[{{"name":"INPUT_1","datatype":"UINT8","shape":[1,{bytes}],"parameters":{{"binary_data_size":{bytes}}}}}],"parameters":{{"binary_data_output":true}}}}"#
    );
    let body = [header.as_bytes(), &vec![7; bytes]].concat();
    let length = format!("Inference-Header-Content-Length: {}\r\n", header.len());
    request("I_UINT8", &length, &body)
}

/// Returns the status of the response, or a description of its absence.
pub(crate) fn outcome(stream: &mut TcpStream) -> String {
    let answer = read_to_end(stream);
    let line = String::from_utf8_lossy(answer.get(9..12).unwrap_or_default());
    if answer.is_empty() {
        "nothing".to_owned()
    } else {
        line.into_owned()
    }
}

/// Sends a request, and usually reads the response.
fn ask(scene: &mut Scene, model: &str, header: &str, body: &[u8]) -> Outcomes {
    let request = request(model, &format!("{header}Connection: close\r\n"), body);
    let mut streams = scene.open_some(3, scene.http, &request)?;
    if scene.random.below(4) == 0 {
        return Ok(vec!["left".to_owned()]);
    }
    Ok(streams.iter_mut().map(outcome).collect())
}

pub(crate) fn slow_heads(scene: &mut Scene) -> Outcomes {
    let streams = scene.open_some(
        60,
        scene.http,
        b"POST /v2/models/I_UINT8/infer HTTP/1.1\r\nX: ",
    )?;
    scene.drip(streams, b"x");
    Ok(Vec::new())
}

pub(crate) fn slow_bodies(scene: &mut Scene) -> Outcomes {
    let head = head("I_UINT8", "", 1 << 20) + "\r\n";
    let streams = scene.open_some(60, scene.http, head.as_bytes())?;
    scene.drip(streams, b" ");
    Ok(Vec::new())
}

pub(crate) fn halves(scene: &mut Scene) -> Outcomes {
    let length = scene.random.below(HALF);
    let head = head("I_UINT8", "", 2 * HALF) + "\r\n";
    let half = [head.as_bytes(), &vec![b' '; length]].concat();
    let _streams = scene.open_some(4, scene.http, &half)?;
    scene.rest();
    Ok(Vec::new())
}

pub(crate) fn bombs(scene: &mut Scene) -> Outcomes {
    ask(scene, "I_UINT8", "Content-Encoding: gzip\r\n", &BOMB)
}

pub(crate) fn excess(scene: &mut Scene) -> Outcomes {
    ask(scene, "I_UINT8", "Content-Encoding: gzip\r\n", &EXCESS)
}

pub(crate) fn resets(scene: &mut Scene) -> Outcomes {
    let request = identity(scene.random.below(20_000));
    for _ in 0..scene.random.below(60) {
        let mut stream = scene.open(scene.http)?;
        let sent = request.len() - scene.random.below(2) * scene.random.below(request.len());
        stream.write_all(&request[..sent])?;
    }
    Ok(Vec::new())
}

pub(crate) fn unread(scene: &mut Scene) -> Outcomes {
    let request = identity(scene.random.below(LARGE_RESPONSE));
    let mut streams = scene.open_some(5, scene.http, &request)?;
    for stream in &mut streams {
        // A second request after the first response, which is not read.
        write_what_is_taken(stream, &request)?;
    }
    scene.rest();
    Ok(Vec::new())
}

pub(crate) fn inputs(scene: &mut Scene) -> Outcomes {
    ask(scene, "I_INT8", "", INPUTS.as_bytes())
}

pub(crate) fn parameters(scene: &mut Scene) -> Outcomes {
    ask(scene, "I_UINT8", "", PARAMETERS.as_bytes())
}

pub(crate) fn nested(scene: &mut Scene) -> Outcomes {
    ask(scene, "I_UINT8", "", NESTED.as_bytes())
}

pub(crate) fn heavy(scene: &mut Scene) -> Outcomes {
    ask(
        scene,
        "I_FP64",
        "Accept-Encoding: gzip\r\n",
        HEAVY.as_bytes(),
    )
}

pub(crate) fn connections(scene: &mut Scene) -> Outcomes {
    let address = [scene.http, scene.grpc][scene.random.below(2)];
    let mut streams = Vec::with_capacity(CONNECTIONS);
    while streams.len() < CONNECTIONS && !scene.is_over() {
        streams.push(scene.open(address)?);
    }
    scene.rest();
    Ok(Vec::new())
}

pub(crate) fn noise(scene: &mut Scene) -> Outcomes {
    let noise: Vec<u8> = match scene.random.below(4) {
        0 => (0..2000)
            .map(|_| scene.random.below(256).to_le_bytes()[0])
            .collect(),
        1 => b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ".iter().copied().chain([b'x'; 40_000]).collect(),
        2 => b"POST /v2/models/I_UINT8/infer HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffff\r\n"
            .to_vec(),
        _ => request("I_UINT8", "Connection: close\r\n", &[0xff; 3000]),
    };
    let mut streams = scene.open_some(20, scene.http, &noise)?;
    for stream in &streams {
        stream.shutdown(std::net::Shutdown::Write)?;
    }
    Ok(streams.iter_mut().map(outcome).collect())
}
