//! Tower services behind a port: their errors, and the requests that the port refuses.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Empty, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use pytriton_core::memory_budget::MemoryBudget;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::{
    AllowedHosts, ConnectionLimits, Connections, Endpoint, HostCheck, ReceiveWindows, RequestBody,
    TowerService,
};

const DEADLINE: Duration = Duration::from_secs(10);

#[derive(Debug)]
struct Failure;

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a secret reason")
    }
}

async fn respond(request: Request<RequestBody>) -> Result<Response<Full<Bytes>>, Failure> {
    match request.uri().path() {
        "/fail" => Err(Failure),
        _ => Ok(Response::new(Full::from("fine"))),
    }
}

/// Connects to a port that allows only local host names, with a memory budget of this size.
async fn connect(budget: usize) -> (TcpStream, watch::Sender<Option<Instant>>) {
    let service = TowerService::new(tower::service_fn(respond)).health_paths(["/live"]);
    let windows = ReceiveWindows::new(&MemoryBudget::new(budget));
    let connections = Connections::new(service, &ConnectionLimits::default(), &windows)
        .hosts(HostCheck::new(Some(&AllowedHosts::default()), None, false));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).await;
    let (stop, stopping) = watch::channel(None);
    tokio::spawn(Endpoint::new(listener, connections).serve(stopping));
    (client.unwrap(), stop)
}

#[tokio::test]
async fn errors_and_refusals_have_their_status_and_end_the_connection_if_refused() {
    let table = [
        ("GET /", "Host: localhost", "200 OK", "fine", false),
        (
            "GET /fail",
            "Host: localhost",
            "500 Internal Server Error",
            "internal server error",
            false,
        ),
        ("GET /", "X: y", "400 Bad Request", "one Host header", true),
        (
            "GET /",
            "Host: evil.example",
            "421 Misdirected Request",
            "'evil.example'",
            true,
        ),
        (
            "POST /",
            "Host: localhost\r\nOrigin: https://evil.example",
            "403 Forbidden",
            "'https://evil.example'",
            true,
        ),
        (
            "POST /",
            "Host: localhost\r\nTransfer-Encoding: gzip, chunked",
            "400 Bad Request",
            "Transfer-Encoding",
            true,
        ),
    ];
    for (line, headers, status, body, refused) in table {
        let (mut client, _stop) = connect(1 << 30).await;
        let mut request = format!("{line} HTTP/1.1\r\n{headers}\r\n");
        if !refused {
            request.push_str("Connection: close\r\n");
        }
        request.push_str("\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        let mut response = String::new();
        let read = timeout(DEADLINE, client.read_to_string(&mut response));
        read.await.unwrap().unwrap();
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status}\r\n")),
            "{response}"
        );
        assert!(response.contains(body), "{response}");
        assert!(!response.contains("secret"), "{response}");
    }
}

#[tokio::test]
async fn http2_heads_that_exceed_the_memory_budget_are_refused() {
    for (budget, path, status) in [
        (1 << 30, "", StatusCode::OK),
        (4 << 10, "", StatusCode::SERVICE_UNAVAILABLE),
        // Health requests need no budget.
        (4 << 10, "live", StatusCode::OK),
    ] {
        let (client, _stop) = connect(budget).await;
        let client = hyper::client::conn::http2::Builder::new(TokioExecutor::new())
            .handshake(TokioIo::new(client));
        let (mut sender, connection) = client.await.unwrap();
        tokio::spawn(connection);
        let request =
            Request::get(format!("http://localhost/{path}")).header("long", "x".repeat(8 << 10));
        let response = sender.send_request(request.body(Empty::<Bytes>::new()).unwrap());
        let response = timeout(DEADLINE, response).await.unwrap().unwrap();
        assert_eq!(response.status(), status);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body == "fine", status == StatusCode::OK, "{body:?}");
    }
}
