//! Health calls with messages that are large after decompression.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::registry::Registry;
use crate::testing::IDENTITY;

use super::Server;
use super::arrival_tests::{frame, headers_of};
use super::tests::{exchange, get, options};

const DEADLINE: Duration = Duration::from_secs(30);

/// Health checks took more than twice as long when I/O threads decompressed the messages.
const DELAYED: Duration = Duration::from_millis(500);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn compressed_health_calls_do_not_delay_http() {
    let registry = Registry::new(&[&IDENTITY]).unwrap();
    let server = Server::start(&registry, &options(&[]), &super::Extensions::default())
        .await
        .unwrap();
    let (http, grpc) = (
        server.addresses().http(),
        server.addresses().grpc().unwrap(),
    );
    // An unknown field of two bytes, thirty million times.
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..30 {
        encoder.write_all(&[0x78, 0].repeat(1 << 20)).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 65_000, "{}", bomb.len());
    let length = u32::try_from(bomb.len()).unwrap().to_be_bytes();
    let body = [&[1], &length[..], &bomb].concat();
    let path = "/inference.GRPCInferenceService/ServerLive";
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    let mut call = [preface, frame(4, 0, 0, &[]), headers_of(1, path)].concat();
    for piece in body.chunks(16 << 10) {
        call.extend(frame(0, 0, 1, piece));
    }
    call.extend(frame(0, 1, 1, &[]));
    let mut clients = Vec::new();
    for _ in 0..32 {
        let mut client = TcpStream::connect(grpc).await.unwrap();
        client.write_all(&call).await.unwrap();
        clients.push(client);
    }
    let mut took = Vec::new();
    for _ in 0..200 {
        let begun = Instant::now();
        let live = exchange(http.unwrap(), &get("/v2/health/live")).await;
        assert!(live.starts_with("HTTP/1.1 200"), "{live}");
        took.push(begun.elapsed());
    }
    let longest = took.into_iter().max().unwrap();
    println!("the longest of 200 probes took {longest:?}");
    assert!(longest < DELAYED, "{longest:?}");
    for mut client in clients {
        // The frames: settings, headers with the status, end of the stream.
        let mut seen = Vec::new();
        let ended = async {
            while !seen.windows(6).any(|frame| frame == [1, 5, 0, 0, 0, 1]) {
                assert!(client.read_buf(&mut seen).await.unwrap() > 0);
            }
        };
        timeout(DEADLINE, ended).await.unwrap();
    }
    assert!(server.stop(DEADLINE).await);
}
