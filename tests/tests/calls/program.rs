//! Calls from the program that serves the models.

use std::thread;

use axum::extract::State;
use axum::routing::get;
use pytriton::Call;
use pytriton::error::CallError;
use pytriton::ndarray::array;

use crate::models::{Count, Double, Inline, Timed};
use crate::{Result, served, triton};

async fn doubled(State(double): State<Call<Double>>) -> String {
    match double.call(array![[21.0]]).await {
        Ok(y) => y[[0, 0]].to_string(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn route_of_the_user_calls_a_model() -> Result {
    let triton = served()?;
    let double = triton.call::<Double>().ok_or("not running")?;
    let router = axum::Router::new()
        .route("/", get(doubled))
        .with_state(double.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let server = tokio::spawn(async move { axum::serve(listener, router).await });
    let mut stream = std::net::TcpStream::connect(address)?;
    let text = tokio::task::spawn_blocking(move || {
        use std::io::{Read, Write};
        stream.write_all(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok::<_, std::io::Error>(text)
    });
    let text = text.await??;
    assert!(text.ends_with("42"), "{text}");
    server.abort();
    let count = triton.call::<Count>().ok_or("not running")?;
    let mut numbers = count.call(array![2]);
    let mut sum = 0;
    while let Some(number) = numbers.next().await {
        sum += number?.sum();
    }
    assert_eq!(sum, 1);
    triton.stop()?;
    Ok(())
}

#[test]
fn stopped_server_has_no_models_to_call() -> Result {
    assert!(triton()?.call::<Double>().is_none());
    Ok(())
}

#[test]
fn threads_without_a_runtime_call_models() -> Result {
    let triton = served()?;
    let double = triton.call::<Double>().ok_or("not running")?;
    let timed = triton.call::<Timed>().ok_or("not running")?;
    let inline = triton.call::<Inline>().ok_or("not running")?;
    let count = triton.call::<Count>().ok_or("not running")?;
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (double, timed) = (double.clone(), timed.clone());
            let (inline, count) = (inline.clone(), count.clone());
            thread::spawn(move || {
                for _ in 0..50 {
                    assert_eq!(inline.call(array![[1.0]]).wait()?, array![[3.0]]);
                }
                assert_eq!(timed.call(array![[1.0]]).wait()?, array![[2.0]]);
                assert_eq!(double.call(array![[1.0]]).wait()?, array![[2.0]]);
                let mut numbers = count.call(array![3]);
                let mut sum = 0;
                while let Some(number) = numbers.wait_next() {
                    sum += number?.sum();
                }
                assert_eq!(sum, 3);
                Ok::<_, CallError>(())
            })
        })
        .collect();
    for thread in threads {
        thread.join().map_err(|_| "panicked")??;
    }
    triton.stop()?;
    Ok(())
}
