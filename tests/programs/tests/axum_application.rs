//! An axum application that also serves models, and calls them from its own route.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use pytriton::Triton;
use pytriton::options::EngineChoice;
use pytriton::prelude::*;
use tokio::net::TcpListener;

mod http;

#[pytriton::model(name = "Primes", client = Primes, max_batch_size = 32)]
#[batch]
fn primes(#[input(shape = [1])] n: ArrayView2<u32>) -> Array2<bool> {
    n.mapv(|n| n > 1 && (2..n).take_while(|d| *d <= n / d).all(|d| n % d != 0))
}

async fn is_prime(
    State(primes): State<Call<Primes>>,
    Path(n): Path<u32>,
) -> Result<Json<bool>, (StatusCode, String)> {
    let prime = primes.call(array![[n]]).await;
    let prime = prime.map_err(|error| (StatusCode::BAD_GATEWAY, error.to_string()))?;
    Ok(Json(prime[[0, 0]]))
}

#[tokio::test(flavor = "multi_thread")]
async fn routes_and_models_share_a_port() -> Result<(), Box<dyn std::error::Error>> {
    let triton = Triton::builder().engine(EngineChoice::Embedded).build()?;
    triton.bind_registered()?;
    let models = triton.router()?;
    let app = Router::new()
        .route("/prime/{n}", get(is_prime))
        .with_state(triton.call::<Primes>().unwrap())
        .fallback_service(models);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async { axum::serve(listener, app).await });
    tokio::task::spawn_blocking(move || {
        for (n, prime) in [(0, "false"), (1, "false"), (7, "true"), (9, "false")] {
            let response = http::request(address, "GET", &format!("/prime/{n}"), "");
            assert!(
                response.ends_with(&format!("\r\n\r\n{prime}")),
                "{response}"
            );
        }
        let response = http::request(
            address,
            "POST",
            "/v2/models/Primes/generate",
            r#"{"n": 11}"#,
        );
        assert!(response.contains(r#""OUTPUT_1":true"#), "{response}");
    })
    .await?;
    Ok(())
}
