//! Requests to a tritonserver that no longer accepts connections.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::*;

/// A server that responds to each request with its path, until it stops accepting connections.
async fn server() -> (Arc<TritonserverClient>, oneshot::Sender<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (close, mut closed) = oneshot::channel();
    tokio::spawn(async move {
        loop {
            let accepted = tokio::select! {
                biased;
                _ = &mut closed => break,
                accepted = listener.accept() => accepted,
            };
            let (mut stream, _) = accepted.unwrap();
            tokio::spawn(async move {
                let mut request = vec![0; 4000];
                while let Ok(length @ 1..) = stream.read(&mut request).await {
                    let text = String::from_utf8_lossy(&request[..length]).into_owned();
                    let path = text.split(' ').nth(1).unwrap();
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}", path.len());
                    let response = format!("{head}\r\n\r\n{path}");
                    stream.write_all(response.as_bytes()).await.unwrap();
                }
            });
        }
    });
    let client = TritonserverClient::new(address, Arc::default(), 2);
    (Arc::new(client), close)
}

async fn ask(client: &TritonserverClient, path: &str) -> Result<String, String> {
    let mut connection = client.connect().await.map_err(|error| error.to_string())?;
    let mut request = Request::get(path).body(Full::default()).unwrap();
    client.open_group(&mut request, Group::Inference).unwrap();
    let response = connection
        .send(request)
        .await
        .map_err(|error| error.to_string())?;
    let body = response.into_body().collect().await.unwrap().to_bytes();
    Ok(String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test]
async fn accepted_requests_are_sent_after_tritonserver_has_stopped_accepting() {
    let (client, close) = server().await;
    assert_eq!(ask(&client, "/before").await.unwrap(), "/before");
    let addresses = client.prepare_to_stop().await;
    assert_eq!(addresses.len(), 2);
    close.send(()).unwrap();
    // When connecting fails, the listener is gone.
    while TcpStream::connect(client.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    // Far more requests than connections, sequentially and concurrently.
    for number in 0..20 {
        let path = format!("/{number}");
        assert_eq!(ask(&client, &path).await.unwrap(), path);
    }
    let paths = ["/a", "/b", "/c", "/d", "/e"];
    let asked = paths.map(|path| {
        let client = Arc::clone(&client);
        tokio::spawn(async move { ask(&client, path).await })
    });
    for (path, asked) in paths.into_iter().zip(asked) {
        assert_eq!(asked.await.unwrap().unwrap(), path);
    }
    client.stopped();
    let error = ask(&client, "/after").await.unwrap_err();
    assert!(
        error.starts_with("tritonserver does not respond: "),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn request_without_a_connection_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent = TritonserverClient::new(listener.local_addr().unwrap(), Arc::default(), 2);
    let silent = Arc::new(silent);
    assert_eq!(silent.prepare_to_stop().await, []);
    let error = ask(&silent, "/").await.unwrap_err();
    assert_eq!(error, TritonserverError::Full.to_string());
}
