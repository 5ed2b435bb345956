//! Tensors in shared memory.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use futures_util::future::try_join_all;
use futures_util::{StreamExt, TryStreamExt};
use pytriton::client::ndarray::{Array1, Array2, Ix1, Ix2, array};
use pytriton::client::{
    AsyncDecoupledModelClient, AsyncModelClient, ClientError, InferOptions, ModelClient,
    SharedMemoryRegion,
};
use pytriton_tests::{Engine, Server, finish};
use tempfile::TempDir;

use crate::{Result, each, serve, urls};

each! {
    large_tensors_use_shared_memory, small_tensors_are_sent_over_the_network,
    concurrent_requests_use_separate_regions, cancelled_request_keeps_its_region_until_its_end,
    unknown_regions_are_registered_again, oversized_output_is_an_error,
    strings_use_shared_memory, streams_use_shared_memory,
}

const MIB: usize = 1 << 20;
const LARGE_ELEMENTS: usize = 65_536;

fn client(url: &str, model: &str, bytes: usize) -> Result<AsyncModelClient> {
    let builder = AsyncModelClient::builder(url, model).init_timeout(Duration::from_secs(20));
    Ok(builder.shared_memory(bytes).build()?)
}

fn numbers(from: usize) -> Array1<f32> {
    (from..from + LARGE_ELEMENTS)
        .map(|number| number as f32)
        .collect()
}

fn file(region: &SharedMemoryRegion) -> PathBuf {
    Path::new("/dev/shm").join(region.key.trim_start_matches('/'))
}

/// Waits until the server has no regions.
async fn forgotten(url: &str) -> Result {
    let client = AsyncModelClient::new(url, "Scale")?;
    let begun = Instant::now();
    while !client.shared_memory_regions().await?.is_empty() {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "it is still known"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

async fn large_tensors_use_shared_memory(_: &Server, url: &str) -> Result {
    let large = client(url, "Large", 64 * MIB)?;
    for round in 0..3 {
        let outputs = large.infer_sample(numbers(round)).await?;
        assert_eq!(outputs.array::<f32, Ix1>("y")?, numbers(round));
    }
    let regions = large.shared_memory_regions().await?;
    assert_eq!(regions.len(), 1, "{regions:?}");
    assert!(file(&regions[0]).exists() && regions[0].byte_size == MIB as u64);
    let rows = Array2::from_shape_fn((3, LARGE_ELEMENTS), |(row, column)| {
        (row * LARGE_ELEMENTS + column) as f32
    });
    let outputs = large.infer_batch([("x", &rows)]).await?;
    assert_eq!(outputs.array::<f32, Ix2>("y")?, rows);
    // The size of this output is only known from the request, and the other input is small.
    let scale = client(url, "Scale", 64 * MIB)?;
    let options = InferOptions::new()
        .shared_output("y", LARGE_ELEMENTS * 4)
        .output("y");
    let outputs = scale
        .infer_sample_with((numbers(1), array![2.0_f32]), options)
        .await?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, numbers(1) * 2.0);
    let regions = large.shared_memory_regions().await?;
    assert_eq!(regions.len(), 3, "{regions:?}");
    let small = AsyncModelClient::builder(url, "Large").gzip();
    let small = small.shared_memory(MIB).build()?;
    let outputs = small.infer_sample(numbers(5)).await?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, numbers(5));
    drop((large, scale, small));
    forgotten(url).await?;
    let begun = Instant::now();
    while regions.iter().any(|region| file(region).exists()) {
        assert!(begun.elapsed() < Duration::from_secs(10), "{regions:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

async fn small_tensors_are_sent_over_the_network(_: &Server, url: &str) -> Result {
    let scale = client(url, "Scale", 64 * MIB)?;
    let outputs = scale
        .infer_sample((array![1.0_f32], array![2.0_f32]))
        .await?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, array![2.0]);
    // The limit of shared memory is too small.
    let little = client(url, "Large", MIB / 4)?;
    let outputs = little.infer_sample(numbers(0)).await?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, numbers(0));
    assert_eq!(little.shared_memory_regions().await?, []);
    Ok(())
}

async fn concurrent_requests_use_separate_regions(_: &Server, url: &str) -> Result {
    let large = client(url, "Large", 4 * MIB)?;
    large.model_config().await?;
    let asked = (0..16).map(|number| {
        let asked = large.infer_sample(numbers(number));
        async move {
            let got = asked.await?.array::<f32, Ix1>("y")?;
            Ok::<_, ClientError>(got == numbers(number))
        }
    });
    assert!(try_join_all(asked).await?.into_iter().all(|right| right));
    let regions = large.shared_memory_regions().await?;
    assert!((1..=4).contains(&regions.len()), "{regions:?}");
    drop(large);
    forgotten(url).await
}

async fn cancelled_request_keeps_its_region_until_its_end(_: &Server, url: &str) -> Result {
    // Space for one request.
    let late = client(url, "Late", MIB)?;
    late.infer_sample((numbers(0), array![0_u32])).await?;
    let first = late.shared_memory_regions().await?;
    let hasty = InferOptions::new().timeout(Duration::from_millis(100));
    let cancelled = late
        .infer_sample_with((numbers(1), array![700_u32]), hasty)
        .await;
    assert!(matches!(cancelled, Err(ClientError::Timeout { .. })));
    // Memory that the server still uses is not reused.
    let outputs = late.infer_sample((numbers(2), array![0_u32])).await?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, numbers(2));
    let begun = Instant::now();
    loop {
        let outputs = late.infer_sample((numbers(3), array![0_u32])).await?;
        assert_eq!(outputs.array::<f32, Ix1>("y")?, numbers(3));
        let regions = late.shared_memory_regions().await?;
        if !regions.is_empty() && regions != first {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "{regions:?}");
    }
    drop(late);
    forgotten(url).await
}

async fn unknown_regions_are_registered_again(server: &Server, url: &str) -> Result {
    let large = client(url, "Large", 64 * MIB)?;
    large.infer_sample(numbers(0)).await?;
    let regions = large.shared_memory_regions().await?;
    forget_all(server)?;
    assert_eq!(large.shared_memory_regions().await?, []);
    let outputs = large.infer_sample(numbers(1)).await?;
    assert_eq!(outputs.array::<f32, Ix1>("y")?, numbers(1));
    assert_eq!(large.shared_memory_regions().await?, regions);
    drop(large);
    forgotten(url).await
}

async fn oversized_output_is_an_error(_: &Server, url: &str) -> Result {
    let scale = client(url, "Scale", 64 * MIB)?;
    let options = InferOptions::new().shared_output("y", 100);
    let refused = scale
        .infer_sample_with((numbers(1), array![2.0_f32]), options)
        .await
        .unwrap_err();
    let words = "output 'y' (100 bytes) should be at least 262144 bytes";
    assert!(refused.to_string().contains(words), "{refused}");
    drop(scale);
    forgotten(url).await
}

async fn strings_use_shared_memory(_: &Server, url: &str) -> Result {
    let reversed = client(url, "Reversed", 64 * MIB)?;
    let texts = |count: usize| {
        let text = |number: usize| [&[b'.'][..], &vec![b'x'; number * 1000]].concat();
        (0..count).map(text).collect::<Array1<Vec<u8>>>()
    };
    let ask = |count: usize, bytes: usize| {
        let options = InferOptions::new().shared_output("OUTPUT_1", bytes);
        reversed.infer_sample_with(texts(count), options)
    };
    // Fewer elements in memory that contained more.
    for count in [20, 15] {
        let outputs = ask(count, MIB / 2).await?;
        let expected = texts(count).mapv(|text| text.into_iter().rev().collect::<Vec<_>>());
        assert_eq!(outputs.array::<Vec<u8>, Ix1>("OUTPUT_1")?, expected);
    }
    assert_eq!(reversed.shared_memory_regions().await?.len(), 1);
    let refused = ask(20, 100).await.unwrap_err();
    let words = "output 'OUTPUT_1' (100 bytes) should be at least 190100 bytes";
    assert!(refused.to_string().contains(words), "{refused}");
    let unknown = InferOptions::new().shared_output("y", MIB);
    let refused = reversed.infer_sample_with(texts(1), unknown).await;
    let words = "output `y` cannot be received through shared memory: it is not an output of the model, or was not requested";
    assert_eq!(refused.unwrap_err().to_string(), words);
    drop(reversed);
    forgotten(url).await
}

async fn streams_use_shared_memory(server: &Server, url: &str) -> Result {
    if url.starts_with("http") {
        return Ok(());
    }
    let builder = AsyncDecoupledModelClient::builder(url, "Elements").shared_memory(64 * MIB);
    let elements = builder.build()?;
    let ask = |from: usize, pause: u32| elements.infer_sample((numbers(from), array![pause]));
    let answers = async |from: usize| {
        let answers = ask(from, 0).map(|outputs| outputs?.array::<f32, Ix1>("OUTPUT_1"));
        let answers: Vec<_> = answers.try_collect().await?;
        let expected = (from..from + 3).map(|number| array![number as f32]);
        assert!(answers.into_iter().eq(expected));
        Ok::<_, ClientError>(())
    };
    // A region is reused only after the last response.
    for from in 0..3 {
        answers(from).await?;
    }
    let regions = elements.client().shared_memory_regions().await?;
    assert_eq!(regions.len(), 1, "{regions:?}");
    let mut slow = ask(7, 100);
    slow.next().await.ok_or("no answer")??;
    answers(8).await?;
    assert_eq!(elements.client().shared_memory_regions().await?.len(), 2);
    assert_eq!(slow.count().await, 2);
    let mut cancelled = ask(9, 100);
    cancelled.next().await.ok_or("no answer")??;
    drop(cancelled);
    answers(10).await?;
    forget_all(server)?;
    answers(11).await?;
    let options = InferOptions::new().shared_output("OUTPUT_1", 100);
    let inputs = (numbers(0), array![0_u32]);
    let mut refused = elements.infer_sample_with(inputs, options);
    let refused = refused.next().await.ok_or("no answer")?.unwrap_err();
    let words = "output `OUTPUT_1` cannot be received through shared memory: a decoupled model would overwrite each response with the next";
    assert_eq!(refused.to_string(), words);
    drop(elements);
    forgotten(url).await
}

/// Unregisters all regions of the server.
fn forget_all(server: &Server) -> Result {
    let mut stream = TcpStream::connect(&server.banner().http)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.write_all(
        b"POST /v2/systemsharedmemory/unregister HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    )?;
    stream.read_to_string(&mut String::new())?;
    Ok(())
}

#[tokio::test]
async fn regions_of_a_killed_client_are_removed() -> Result {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let server = serve(engine, &[])?;
        for url in urls(&server) {
            let mut killed = Command::new(env!("CARGO_BIN_EXE_sharing"));
            let mut killed = killed.arg(&url).stdout(Stdio::piped()).spawn()?;
            let mut line = String::new();
            let stdout = killed.stdout.take().ok_or("no output")?;
            BufReader::new(stdout).read_line(&mut line)?;
            assert_eq!(line, "shared\n");
            killed.kill()?;
            killed.wait()?;
            let large = client(&url, "Large", 64 * MIB)?;
            let left = large.shared_memory_regions().await?;
            assert_eq!(left.len(), 1);
            assert!(file(&left[0]).exists());
            // Uses another process, because this one has already looked for stale regions.
            let mut next = Command::new(env!("CARGO_BIN_EXE_sharing"));
            let next = finish(next.args([&url, "once"]), Duration::from_secs(20))?;
            assert_eq!(next.success("sharing")?, "shared\n");
            assert!(!file(&left[0]).exists());
            forgotten(&url).await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_server_without_support_reports_it() -> Result {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let home = TempDir::new()?;
        let token = home.path().join("token");
        fs::write(&token, "a-token-of-at-least-32-characters-in-all")?;
        let file = format!("--access-token-file={}", token.display());
        let server = serve(engine, &["--restricted-endpoints=shared-memory", &file])?;
        for url in urls(&server) {
            let refused = client(&url, "Large", 64 * MIB)?
                .infer_sample(numbers(0))
                .await
                .unwrap_err();
            let ClientError::SharedMemory { message } = &refused else {
                panic!("{refused:?}")
            };
            assert!(message.contains("restricted"), "{message}");
            assert!(message.starts_with(&url), "{message}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn regions_of_a_killed_server_are_removed() -> Result {
    for engine in [Engine::Embedded, Engine::Tritonserver] {
        let server = serve(engine, &[])?;
        let clients = urls(&server).map(|url| client(&url, "Large", 64 * MIB));
        let mut regions = Vec::new();
        for client in &clients {
            let client = client.as_ref().map_err(ToString::to_string)?;
            client.infer_sample(numbers(0)).await?;
            regions = client.shared_memory_regions().await?;
        }
        assert_eq!(regions.len(), 2);
        server.signal("KILL")?;
        server.wait(Duration::from_secs(10))?;
        drop(clients);
        let begun = Instant::now();
        while regions.iter().any(|region| file(region).exists()) {
            assert!(begun.elapsed() < Duration::from_secs(10));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
    Ok(())
}

#[test]
fn blocking_client_removes_its_regions() -> Result {
    let server = serve(Engine::Embedded, &[])?;
    for url in urls(&server) {
        let large = ModelClient::builder(&url, "Large")
            .shared_memory(64 * MIB)
            .build()?;
        let outputs = large.infer_sample(numbers(0))?;
        assert_eq!(outputs.array::<f32, Ix1>("y")?, numbers(0));
        let regions = large.shared_memory_regions()?;
        assert_eq!(regions.len(), 1);
        drop(large);
        let another = ModelClient::new(&url, "Large")?;
        assert_eq!(another.shared_memory_regions()?, []);
        assert!(!file(&regions[0]).exists());
    }
    Ok(())
}
