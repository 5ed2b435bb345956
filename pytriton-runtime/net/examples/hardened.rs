//! A hardened HTTP server around a tower service. It stops at Ctrl-C, after the responses to the
//! requests that have arrived.
//!
//! `cargo run -p pytriton-net --example hardened`, then `curl -d "any text" <URL>`.

use std::convert::Infallible;
use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use pytriton_net::{
    BoundPort, ConnectionLimits, Connections, Endpoint, HostCheck, MemoryBudget, ReceiveWindows,
    RequestBody, TowerService,
};
use tokio::sync::watch;
use tokio::time::Instant;

/// The maximum size of a request body.
const MAX_BODY_BYTES: usize = 1 << 20;

/// How long requests may take after Ctrl-C.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the body of the request.
async fn echo(request: Request<RequestBody>) -> Result<Response<Full<Bytes>>, Infallible> {
    let body = Limited::new(request.into_body(), MAX_BODY_BYTES);
    Ok(match body.collect().await {
        Ok(body) => Response::new(Full::new(body.to_bytes())),
        Err(error) => {
            let mut response = Response::new(Full::from(error.to_string()));
            *response.status_mut() = StatusCode::BAD_REQUEST;
            response
        }
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let limits = ConnectionLimits {
        max_connections: 100,
        header_timeout: Duration::from_secs(10),
        ..ConnectionLimits::default()
    };
    let listener = BoundPort::bind(([127, 0, 0, 1], 0).into())?.listen()?;
    let address = listener.local_addr()?;
    let service = TowerService::new(tower::service_fn(echo)).health_paths(["/health"]);
    let windows = ReceiveWindows::new(&MemoryBudget::new(64 << 20));
    let connections = Connections::new(service, &limits, &windows)
        // The port is on a loopback address, so only local host names are allowed.
        .hosts(HostCheck::new(None, Some(address.ip()), false));
    let (stop, stopping) = watch::channel(None);
    let server = tokio::spawn(Endpoint::new(listener, connections).serve(stopping));
    eprintln!("listening on http://{address}");
    tokio::signal::ctrl_c().await?;
    stop.send_replace(Some(Instant::now() + STOP_TIMEOUT));
    match server.await? {
        true => Ok(()),
        false => Err("some connections did not close before the deadline".into()),
    }
}
