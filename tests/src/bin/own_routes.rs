//! A program with its own routes, a layer, and a readiness check.

use std::future::ready;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::map_response;
use axum::response::Response;
use axum::routing::{get, post};
use pytriton::Cli;
use pytriton::prelude::*;

#[pytriton::model(name = "Double", client = Double, max_batch_size = 4)]
#[batch]
fn double(x: ArrayView2<f32>) -> Array2<f32> {
    &x * 2.0
}

#[derive(clap::Args)]
struct Args {
    /// The name of this server, in each response
    #[arg(long, default_value = "a")]
    server: HeaderValue,
}

/// Whether a request has paused the server.
#[derive(Default)]
struct Paused(AtomicBool);

async fn length(body: String) -> String {
    body.len().to_string()
}

fn main() -> ExitCode {
    Cli::new(env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"))
        .args::<Args>()
        .state(|_| Ok(Paused::default()))
        .router(|models, app| {
            let server = app.args().server.clone();
            let paused = app.state::<Paused>().cloned();
            let call = app.call::<Double>();
            let doubled = async move |Path(value): Path<f32>| -> Result<String, StatusCode> {
                let call = call.as_ref().ok_or(StatusCode::NOT_IMPLEMENTED)?;
                let doubled = call.call(array![[value]]).await;
                doubled.map_or(Err(StatusCode::BAD_GATEWAY), |y| Ok(y[[0, 0]].to_string()))
            };
            let pause = async move || {
                if let Some(paused) = &paused {
                    paused.0.store(true, Ordering::Relaxed);
                }
            };
            let upload = Router::new()
                .route("/upload", post(length))
                .layer(DefaultBodyLimit::max(4 << 20));
            models
                .merge(upload)
                .route("/double/{value}", get(doubled))
                .route("/pause", get(pause))
                .route("/length", post(length))
                .layer(map_response(move |mut response: Response| {
                    response.headers_mut().insert("x-server", server.clone());
                    ready(response)
                }))
        })
        .ready(|app| {
            let paused = app.state::<Paused>();
            paused.is_some_and(|paused| !paused.0.load(Ordering::Relaxed))
        })
        .run()
}
