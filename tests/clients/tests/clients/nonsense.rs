//! Servers that violate the protocol.

use std::io;
use std::process::Command;
use std::time::Duration;

use pytriton::client::ndarray::array;
use pytriton::client::{AsyncModelClient, ClientError};
use pytriton_tests::Engine;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::{Result, serve, urls};

/// HTTP/2 frame types, and the flags for the end of the headers and of the stream.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const HEADERS_END: u8 = 0b100;
const BOTH_END: u8 = 0b101;

/// Responds to the first request of each connection.
fn answer<F>(listener: TcpListener, words: Vec<u8>, answer: fn(TcpStream, Vec<u8>) -> F)
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            tokio::spawn(answer(connection, words.clone()));
        }
    });
}

/// Responds over HTTP/1.1 with a status line followed by these bytes.
async fn http(mut connection: TcpStream, words: Vec<u8>) -> io::Result<()> {
    let mut asked = Vec::new();
    while !asked.windows(4).any(|end| end == b"\r\n\r\n") {
        connection.read_buf(&mut asked).await?;
    }
    connection.write_all(b"HTTP/1.1 200 OK\r\n").await?;
    connection.write_all(&words).await?;
    // Waits until the client disconnects.
    connection.read_to_end(&mut asked).await.map(drop)
}

fn frame(kind: u8, flags: u8, stream: u8, body: &[u8]) -> Vec<u8> {
    let length = u8::try_from(body.len()).unwrap_or_default();
    [&[0, 0, length, kind, flags, 0, 0, 0, stream], body].concat()
}

/// Responds with only these bytes.
async fn anything(mut connection: TcpStream, words: Vec<u8>) -> io::Result<()> {
    connection.read_buf(&mut Vec::new()).await?;
    connection.write_all(&words).await?;
    connection.read_to_end(&mut Vec::new()).await.map(drop)
}

/// Responds over HTTP/2 with a message.
async fn grpc(mut connection: TcpStream, message: Vec<u8>) -> io::Result<()> {
    let mut preface = [0; 24];
    connection.read_exact(&mut preface).await?;
    let settings = frame(SETTINGS, 0, 0, &[]);
    connection.write_all(&settings).await?;
    loop {
        let mut head = [0; 9];
        connection.read_exact(&mut head).await?;
        let [one, two, three, kind, ..] = head;
        let length = u32::from_be_bytes([0, one, two, three]);
        let mut body = vec![0; length as usize];
        connection.read_exact(&mut body).await?;
        if kind == HEADERS {
            break;
        }
    }
    // Status 200, and literal header fields without indexing.
    let head = b"\x88\0\x0ccontent-type\x10application/grpc";
    let trailers = b"\0\x0bgrpc-status\x010";
    let answer = [
        frame(HEADERS, HEADERS_END, 1, head),
        frame(DATA, 0, 1, &message),
        frame(HEADERS, BOTH_END, 1, trailers),
    ];
    connection.write_all(&answer.concat()).await?;
    // Waits until the client disconnects.
    connection.read_to_end(&mut Vec::new()).await.map(drop)
}

fn with_length(body: &str, more: &str) -> Vec<u8> {
    let length = body.len();
    format!("content-length: {length}\r\n{more}\r\n{body}").into_bytes()
}

#[tokio::test]
async fn responses_that_violate_the_protocol_are_errors() -> Result {
    let server = serve(Engine::Embedded, &[])?;
    let [known, _] = urls(&server);
    let config = AsyncModelClient::new(&known, "AddSub")?;
    let config = config.model_config().await?;
    let outputs = r#"{"outputs":[{"name":"OUTPUT_1","shape":[1],"data":[1]}]}"#;
    let table = [
        (
            "http",
            with_length("Hello!", ""),
            "it is not a valid JSON response",
        ),
        (
            "http",
            with_length("[1, 2]", ""),
            "it is not a valid JSON response",
        ),
        (
            "http",
            with_length(outputs, ""),
            "an output has no element type",
        ),
        (
            "http",
            with_length("{}", "inference-header-content-length: 99\r\n"),
            "its JSON is longer than the body",
        ),
        (
            "grpc",
            b"\x09\0\0\0\0".to_vec(),
            "a message has an invalid flag: 9",
        ),
        (
            "grpc",
            b"\0\0\0\0\x07ab".to_vec(),
            "received only 2 of the message's 7 bytes",
        ),
        (
            "grpc",
            b"\0\0\0\0\x02\xff\xff".to_vec(),
            "it is not a valid message",
        ),
    ];
    for (scheme, words, expected) in table {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("{scheme}://{}", listener.local_addr()?);
        match scheme {
            "http" => answer(listener, words, http),
            _ => answer(listener, words, grpc),
        }
        let client = AsyncModelClient::builder(&url, "AddSub").model_config(config.clone());
        let client = client.inference_timeout(Duration::from_secs(10)).build()?;
        let asked = client.infer_sample((array![1], array![2])).await;
        match asked.unwrap_err() {
            ClientError::Protocol { message } => {
                assert!(message.contains(expected), "{expected}: {message}");
            }
            other => panic!("{expected}: {other:?}"),
        }
    }
    Ok(())
}

#[tokio::test]
async fn servers_of_another_protocol_are_errors() -> Result {
    let (bad, alert) = (
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\x15\x03\x03\0\x02\x02\x32",
    );
    let settings = frame(SETTINGS, 0, 0, &[]);
    let table = [
        ("grpc", bad.to_vec(), "speaks HTTP/1"),
        ("grpc", alert.to_vec(), "speaks TLS"),
        ("http", alert.to_vec(), "speaks TLS"),
        ("http", settings, "speaks HTTP/2 only"),
    ];
    for (scheme, words, expected) in table {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("{scheme}://{}", listener.local_addr()?);
        answer(listener, words, anything);
        let connecting = AsyncModelClient::builder(&url, "AddSub").connect();
        let wrong = timeout(Duration::from_secs(10), connecting).await?;
        let ClientError::Protocol { message } = wrong.unwrap_err() else {
            panic!("{url} is another error")
        };
        let expected = format!("{url} {expected}");
        assert!(message.starts_with(&expected), "{expected}: {message}");
    }
    Ok(())
}

#[tokio::test]
async fn gateway_errors_are_retried_until_the_init_timeout() -> Result {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("grpc://{}", listener.local_addr()?);
    let words = b"HTTP/1.1 503 Service Unavailable\r\n\r\n";
    answer(listener, words.to_vec(), anything);
    let client = AsyncModelClient::builder(&url, "AddSub").init_timeout(Duration::from_secs(1));
    let late = client.connect().await.unwrap_err();
    assert!(matches!(late, ClientError::Timeout { .. }), "{late:?}");
    Ok(())
}

/// The stacks of these threads exceed the memory limit of the process.
#[test]
fn failed_thread_creation_is_an_error() -> Result {
    let mut client = Command::new(env!("CARGO_BIN_EXE_sharing"));
    client
        .arg("http://127.0.0.1:1")
        .env("RUST_MIN_STACK", (1_u64 << 50).to_string());
    let ended = client.output()?;
    let stderr = String::from_utf8(ended.stderr)?;
    assert!(!ended.status.success(), "{stderr}");
    assert!(stderr.starts_with("Error: Thread { message: "), "{stderr}");
    Ok(())
}
