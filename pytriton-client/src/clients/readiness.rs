use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::time::{Instant, sleep, timeout_at};

use crate::request::Model;
use crate::server::Server;
use crate::servers::Servers;
use crate::{ClientError, Stage, Status};

/// The first pause between two questions, and the longest.
const PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// As good as for ever, and a time that can be reckoned with.
const FOR_EVER: Duration = Duration::from_secs(30 * 365 * 86_400);

/// Waits until one of the servers is ready, and its model where one is named; which one.
pub(super) async fn wait(
    servers: &Servers,
    model: Option<&Model>,
    limit: Duration,
) -> Result<Arc<Server>, ClientError> {
    let begun = Instant::now();
    let deadline = begun.checked_add(limit).unwrap_or(begun + FOR_EVER);
    let (mut pause, mut heard) = (PAUSE, String::new());
    loop {
        match timeout_at(deadline, found(servers, model)).await {
            Ok(Ok(Found::Ready(server))) => return Ok(server),
            Ok(Ok(Found::Missing(missing))) => heard = missing,
            Ok(Err(error)) if is_final(&error) => return Err(error),
            Ok(Err(error)) => heard = error.to_string(),
            Err(_) if heard.is_empty() => heard = "the server does not answer".to_owned(),
            Err(_) => {}
        }
        if deadline <= Instant::now() + pause {
            return Err(ClientError::Timeout {
                stage: Stage::Readiness,
                timeout: limit,
                message: heard,
            });
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// One that is ready, or what is not where none is. They are asked side by side: some may not answer at all.
async fn found(servers: &Servers, model: Option<&Model>) -> Result<Found, ClientError> {
    let ask = |server: &Arc<Server>| {
        let server = Arc::clone(server);
        async move {
            let missing = missing_of(&server, model).await?;
            Ok(missing.map_or(Found::Ready(server), Found::Missing))
        }
    };
    let mut asked: FuturesUnordered<_> = servers.all().map(ask).collect();
    let mut heard = Ok(Found::Missing("there is no server".to_owned()));
    while let Some(found) = asked.next().await {
        heard = found;
        if matches!(heard, Ok(Found::Ready(_))) {
            break;
        }
    }
    heard
}

enum Found {
    Ready(Arc<Server>),
    Missing(String),
}

async fn missing_of(server: &Server, model: Option<&Model>) -> Result<Option<String>, ClientError> {
    if !(server.is_ready().await? && server.is_live().await?) {
        return Ok(Some("the server is not ready".to_owned()));
    }
    let Some(model) = model else { return Ok(None) };
    let ready = server.is_model_ready(model).await?;
    Ok((!ready).then(|| format!("model {model} is not ready")))
}

/// Whether time does not mend it: who may not ask, or trusts nobody.
fn is_final(error: &ClientError) -> bool {
    match error {
        ClientError::Tls { .. } => true,
        ClientError::Server { status, message } => {
            let forbidden = matches!(status, Status::Http(401 | 403) | Status::Grpc(7 | 16));
            // tritonserver says so with the code of a server that is not there.
            forbidden || message.starts_with("This protocol is restricted")
        }
        _ => false,
    }
}
