use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::time::Instant;

use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::server::connection_state::ConnectionState;
use crate::server::stream::Stream;
use crate::server::tracked_io::{LINGER_TIMEOUT, MAX_WRITE_BYTES_PER_POLL, TrackedIo};

/// Two ends of a connection.
async fn connected() -> (TrackedIo, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (client, server) = tokio::join!(TcpStream::connect(address), listener.accept());
    let stream = Stream::Plain(server.unwrap().0);
    (
        TrackedIo::new(stream, &ConnectionState::new()),
        client.unwrap(),
    )
}

/// Returns the number of bytes written in each turn until everything is written.
async fn turns(io: &mut TrackedIo, slices: &[&[u8]]) -> Vec<usize> {
    let mut written_bytes = 0;
    let mut turns = vec![0];
    let all = slices.concat().len();
    while written_bytes < all {
        let written = poll_fn(|context| {
            let mut skipped = written_bytes;
            let rest: Vec<IoSlice<'_>> = slices
                .iter()
                .map(|slice| {
                    let from = skipped.min(slice.len());
                    skipped -= from;
                    IoSlice::new(&slice[from..])
                })
                .collect();
            let io = Pin::new(&mut *io);
            let written = match rest[..] {
                [ref only] => io.poll_write(context, only),
                _ => io.poll_write_vectored(context, &rest),
            };
            if written.is_pending() {
                turns.push(0);
            }
            written
        });
        let written = written.await.unwrap();
        assert!((1..=MAX_WRITE_BYTES_PER_POLL).contains(&written));
        written_bytes += written;
        *turns.last_mut().unwrap() += written;
    }
    turns
}

/// Closes a connection with this unread data. Returns what a client finds that sends more.
async fn closed(unread: &[u8]) -> io::Result<usize> {
    let (mut io, mut client) = connected().await;
    client.write_all(unread).await?;
    io.write_all(b"answer").await?;
    let closed = tokio::spawn(async move { io.shutdown().await });
    let mut answer = [0; 6];
    client.read_exact(&mut answer).await?;
    // This data is not read.
    client.write_all(b"more").await?;
    tokio::task::yield_now().await;
    let end = client.read(&mut answer).await?;
    client.shutdown().await?;
    closed.await??;
    Ok(end)
}

#[tokio::test]
async fn a_client_that_continues_to_send_sees_an_end_and_not_a_reset() {
    for unread in [&b""[..], b"a request that came too late"] {
        assert_eq!(closed(unread).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn a_client_that_never_closes_its_side_is_closed() {
    let (mut io, client) = connected().await;
    let begun = Instant::now();
    io.shutdown().await.unwrap();
    assert!((LINGER_TIMEOUT..10 * LINGER_TIMEOUT).contains(&begun.elapsed()));
    drop(client);
}

#[tokio::test]
async fn long_writes_take_turns_and_arrive_unchanged() {
    let long: Vec<u8> = (0..MAX_WRITE_BYTES_PER_POLL * 20)
        .map(|index| u8::try_from(index % 251).unwrap())
        .collect();
    let lists: [&[&[u8]]; 4] = [
        &[&long],
        &[b"head", &long],
        &[
            b"a",
            b"",
            b"b",
            b"c",
            b"d",
            b"e",
            &long[..MAX_WRITE_BYTES_PER_POLL * 3],
            b"end",
        ],
        &[
            &long[..MAX_WRITE_BYTES_PER_POLL],
            &long[..MAX_WRITE_BYTES_PER_POLL],
            b"end",
        ],
    ];
    for slices in lists {
        let (mut io, mut client) = connected().await;
        let all = slices.concat();
        let read = tokio::spawn(async move {
            let mut read = Vec::new();
            client.read_to_end(&mut read).await.unwrap();
            read
        });
        let turns = turns(&mut io, slices).await;
        drop(io);
        assert_eq!(read.await.unwrap(), all);
        // The last write of a turn begins within the turn.
        assert!(
            turns
                .iter()
                .all(|turn| *turn < 2 * MAX_WRITE_BYTES_PER_POLL),
            "{turns:?}"
        );
        assert!(
            turns.len() >= all.len() / (2 * MAX_WRITE_BYTES_PER_POLL),
            "{turns:?}"
        );
    }
}
