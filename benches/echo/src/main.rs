//! A plain axum server that returns the body of a request: the upper bound on this machine.

use std::io::{Result, Write};

use axum::Router;
use axum::body::Bytes;
use axum::extract::DefaultBodyLimit;
use axum::routing::post;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<()> {
    let echo = Router::new()
        .route(
            "/v2/models/Identity/infer",
            post(|body: Bytes| async { body }),
        )
        .layer(DefaultBodyLimit::disable());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    writeln!(std::io::stdout(), "  http     http://{address}\nready")?;
    axum::serve(listener, echo).await
}
