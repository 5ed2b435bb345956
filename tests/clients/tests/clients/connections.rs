//! The number of connections of a client.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::try_join_all;
use pytriton::client::AsyncModelClient;
use pytriton::client::ndarray::array;
use pytriton_tests::Engine;
use tokio::io::copy;
use tokio::net::{TcpListener, TcpStream};

use crate::{Result, serve, urls};

/// A proxy in front of a server that counts connections.
struct Way {
    url: String,
    taken: Arc<AtomicUsize>,
}

impl Way {
    async fn to(url: &str) -> Result<Self> {
        let (scheme, server) = url.split_once("://").ok_or("no address")?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let way = Self {
            url: format!("{scheme}://{}", listener.local_addr()?),
            taken: Arc::default(),
        };
        let (server, taken) = (server.to_owned(), Arc::clone(&way.taken));
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                taken.fetch_add(1, Ordering::SeqCst);
                let server = server.clone();
                tokio::spawn(async move {
                    let mut server = TcpStream::connect(server).await?;
                    // A client that disconnects must also disconnect from the server.
                    server.set_zero_linger()?;
                    let (mut from_client, mut to_client) = client.split();
                    let (mut from_server, mut to_server) = server.split();
                    tokio::select! {
                        done = copy(&mut from_client, &mut to_server) => done,
                        done = copy(&mut from_server, &mut to_client) => done,
                    }
                });
            }
        });
        Ok(way)
    }

    fn taken(&self) -> usize {
        self.taken.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn concurrent_requests_share_connections() -> Result {
    let server = serve(Engine::Embedded, &[])?;
    for url in urls(&server) {
        let way = Way::to(&url).await?;
        let client = AsyncModelClient::new(&way.url, "AddSub")?;
        for number in 0..100 {
            client.infer_sample((array![number], array![1])).await?;
        }
        assert_eq!(way.taken(), 1, "{url}");

        // None of these requests finds an open connection.
        let way = Way::to(&url).await?;
        let client = AsyncModelClient::new(&way.url, "AddSub")?;
        let asked = (0..64).map(|number| client.infer_sample((array![number], array![1])));
        try_join_all(asked).await?;
        match url.starts_with("grpc") {
            true => assert_eq!(way.taken(), 1),
            false => assert!((1..=64).contains(&way.taken()), "{}", way.taken()),
        }
    }
    Ok(())
}

/// With HTTP/1.1, a client can only cancel a request by closing the connection.
#[tokio::test]
async fn cancelled_request_closes_its_http1_connection() -> Result {
    let server = serve(Engine::Embedded, &[])?;
    for (url, more) in urls(&server).iter().zip([1, 0]) {
        let way = Way::to(url).await?;
        let client = AsyncModelClient::builder(&way.url, "Considerate");
        let client = client.connect().await?;
        for dropped in 1..=3 {
            let asked = client.infer_sample(array![60_000_u32]);
            let soon = Duration::from_millis(100);
            assert!(tokio::time::timeout(soon, asked).await.is_err());
            for _ in 0..10 {
                client.infer_sample(array![0_u32]).await?;
            }
            assert_eq!(way.taken(), 1 + dropped * more, "{url}");
        }
    }
    Ok(())
}
