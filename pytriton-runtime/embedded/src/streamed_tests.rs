//! Event streams with slow functions, and clients that do not read or have disconnected.

use std::sync::Arc;
use std::time::Duration;

use pytriton_engine::Limits;
use pytriton_net::{ConnectionLimits, Connections, Ending, ReceiveWindows};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::repository::ModelRepository;
use crate::testing::app_state;
use crate::testing::counting::{COUNTING, COUNTS, dropped_streams, noticed};

use crate::port_service::{PortRoutes, PortService, models_router};
use crate::service::AppState;

const TEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The idle timeout, and the timeout of a client that reads nothing.
const IDLE_TIMEOUT: Duration = Duration::from_millis(200);

/// A client that has requested a stream, and its server task.
struct StreamingClient {
    client: TcpStream,
    served: JoinHandle<Ending>,
    stop: watch::Sender<Option<Instant>>,
    models: Arc<ModelRepository>,
}

async fn ask(number: &str) -> StreamingClient {
    ask_routes(number, PortRoutes::Http).await
}

/// The routes of a program that adds none of its own.
fn own_routes(app_state: Arc<AppState>) -> PortRoutes {
    let router = models_router(&app_state);
    PortRoutes::Own(app_state, router, None)
}

async fn ask_routes(
    number: &str,
    routes: impl FnOnce(Arc<AppState>) -> PortRoutes,
) -> StreamingClient {
    let limits = Limits {
        connections: ConnectionLimits {
            header_timeout: IDLE_TIMEOUT,
            body_timeout: IDLE_TIMEOUT,
            ..ConnectionLimits::default()
        },
        ..Limits::default()
    };
    let app_state = app_state(&[&COUNTING], limits).await;
    let models = Arc::clone(&app_state.models);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap())
        .await
        .unwrap();
    let (stream, _) = listener.accept().await.unwrap();
    let (stop, stopping) = watch::channel(None);
    let windows = ReceiveWindows::new(models.budget());
    let service = PortService::new(routes(Arc::new(app_state)));
    let connections = Connections::new(service, &limits.connections, &windows);
    let served = tokio::spawn(connections.serve(stream, stopping));
    let body = format!(r#"{{"INPUT_1":{number}}}"#);
    let head = "POST /v2/models/Counting/generate_stream HTTP/1.1\r\nHost: x";
    let request = format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    client.write_all(request.as_bytes()).await.unwrap();
    StreamingClient {
        client,
        served,
        stop,
        models,
    }
}

/// Reads the first event and a little more.
async fn first_event(client: &mut TcpStream) {
    let mut seen = Vec::new();
    while !seen.windows(6).any(|seen| seen == b"data: ") {
        let read = timeout(TEST_TIMEOUT, client.read_buf(&mut seen)).await;
        assert_ne!(read.unwrap().unwrap(), 0);
    }
}

#[tokio::test]
async fn a_stream_whose_function_computes_is_not_idle() {
    let _counts = COUNTS.lock().await;
    let before = dropped_streams();
    let mut asked = ask("-5").await;
    first_event(&mut asked.client).await;
    let mut more = Vec::new();
    // No data arrives, and the connection stays open.
    let read = timeout(5 * IDLE_TIMEOUT, asked.client.read_to_end(&mut more)).await;
    assert!(read.is_err());
    assert_eq!(dropped_streams(), before);
    asked.stop.send_replace(Some(Instant::now() + IDLE_TIMEOUT));
    let ending = timeout(TEST_TIMEOUT, asked.served).await.unwrap().unwrap();
    assert_eq!(ending, Ending::Cut);
    noticed(before + 1).await;
}

#[tokio::test]
async fn unread_stream_slows_its_function_and_is_closed() {
    let _counts = COUNTS.lock().await;
    let before = dropped_streams();
    let mut asked = ask("-4").await;
    first_event(&mut asked.client).await;
    let ending = timeout(TEST_TIMEOUT, asked.served).await.unwrap().unwrap();
    assert_eq!(ending, Ending::Itself);
    noticed(before + 1).await;
    assert_eq!(asked.models.budget().reserved(), 0);
}

#[tokio::test]
async fn disconnect_between_events_is_noticed_at_once() {
    let _counts = COUNTS.lock().await;
    for routes in [PortRoutes::Http, own_routes] {
        let before = dropped_streams();
        let mut asked = ask_routes("-5", routes).await;
        first_event(&mut asked.client).await;
        let begun = Instant::now();
        drop(asked.client);
        noticed(before + 1).await;
        assert!(begun.elapsed() < Duration::from_secs(2));
        timeout(TEST_TIMEOUT, asked.served).await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn half_closed_client_receives_the_rest() {
    let _counts = COUNTS.lock().await;
    let before = dropped_streams();
    let mut asked = ask("-5").await;
    first_event(&mut asked.client).await;
    asked.client.shutdown().await.unwrap();
    let mut comment = Vec::new();
    let comments = async {
        while !comment.windows(14).any(|seen| seen == b": keep-alive\n\n") {
            assert_ne!(asked.client.read_buf(&mut comment).await.unwrap(), 0);
        }
    };
    timeout(TEST_TIMEOUT, comments).await.unwrap();
    sleep(2 * IDLE_TIMEOUT).await;
    assert_eq!(dropped_streams(), before);
    asked.stop.send_replace(Some(Instant::now()));
    noticed(before + 1).await;
}
