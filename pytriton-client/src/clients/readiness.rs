use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::time::sleep;

use crate::deadline::Deadline;
use crate::request::Model;
use crate::server::Server;
use crate::servers::Servers;
use crate::{ClientError, Stage, Status};

/// The first and the longest delay between two readiness requests.
const FIRST_POLL_DELAY: Duration = Duration::from_millis(10);
const MAX_POLL_DELAY: Duration = Duration::from_secs(1);

/// The time between two log lines about what a client waits for.
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// The last message from each server, by index.
type LastMessages = Mutex<BTreeMap<usize, String>>;

/// Waits until one of the servers, and the model if one is named, is ready. Returns the server.
pub(super) async fn wait(
    servers: &Servers,
    model: Option<&Model>,
    deadline: Deadline,
) -> Result<Arc<Server>, ClientError> {
    let messages = LastMessages::default();
    let first = async {
        // Each server has its own future, so one that does not respond does not delay the others.
        let checks = servers.all().enumerate();
        let mut checks: FuturesUnordered<_> = checks
            .map(|(index, server)| ready(server, model, index, &messages))
            .collect();
        let mut refused = Err(ClientError::Closed);
        while let Some(found) = checks.next().await {
            refused = found;
            if refused.is_ok() {
                break;
            }
        }
        refused
    };
    let first = async {
        tokio::select! {
            biased;
            found = first => found,
            never = report(servers, &messages) => match never {},
        }
    };
    match deadline.within(first).await {
        Err(ClientError::Timeout {
            stage: Stage::Readiness,
            ..
        }) => Err(deadline.late(last_of(servers, &messages))),
        found => found,
    }
}

/// Polls one server until it is ready. Returns an error only if waiting cannot help.
async fn ready(
    server: &Arc<Server>,
    model: Option<&Model>,
    index: usize,
    messages: &LastMessages,
) -> Result<Arc<Server>, ClientError> {
    let mut delay = FIRST_POLL_DELAY;
    loop {
        let (missing, ends) = match missing_of(server, model).await {
            Ok(None) => return Ok(Arc::clone(server)),
            Ok(Some(missing)) => (missing, None),
            Err(error) => (error.to_string(), Some(error).filter(is_final)),
        };
        messages
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(index, missing);
        if let Some(error) = ends {
            return Err(error);
        }
        sleep(delay).await;
        delay = (delay * 2).min(MAX_POLL_DELAY);
    }
}

/// Logs the last messages from time to time: a wrong address would otherwise show only when the
/// deadline has passed.
async fn report(servers: &Servers, messages: &LastMessages) -> Infallible {
    loop {
        sleep(REPORT_INTERVAL).await;
        let message = last_of(servers, messages);
        tracing::warn!("still waiting for the server and the model to be ready: {message}");
    }
}

/// Returns the last message, of each server if there are several.
fn last_of(servers: &Servers, messages: &LastMessages) -> String {
    let messages = messages.lock().unwrap_or_else(PoisonError::into_inner);
    let servers: Vec<_> = servers.all().collect();
    let each = servers.iter().enumerate().map(|(index, server)| {
        let message = messages
            .get(&index)
            .map_or("the server does not respond", String::as_str);
        match servers.len() {
            1 => message.to_owned(),
            _ => format!("{}: {message}", server.address()),
        }
    });
    each.collect::<Vec<_>>().join("; ")
}

async fn missing_of(server: &Server, model: Option<&Model>) -> Result<Option<String>, ClientError> {
    if !(server.is_ready().await? && server.is_live().await?) {
        return Ok(Some("the server is not ready".to_owned()));
    }
    let Some(model) = model else { return Ok(None) };
    let ready = server.is_model_ready(model).await?;
    Ok((!ready).then(|| format!("model {model} is not ready")))
}

/// Returns whether waiting cannot help: access denied, TLS failure, or not a server of this
/// protocol.
fn is_final(error: &ClientError) -> bool {
    match error {
        ClientError::Tls { .. } | ClientError::Protocol { .. } => true,
        ClientError::Server { status, message } => {
            let forbidden = matches!(status, Status::Http(401 | 403) | Status::Grpc(7 | 16));
            // tritonserver reports this with the status of an unavailable server.
            forbidden || message.starts_with("This protocol is restricted")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::sync::mpsc::channel;

    use tracing::subscriber::set_default;
    use tracing_subscriber::fmt;

    use super::*;
    use crate::transport::Link;

    /// A writer that sends each line.
    struct Lines(std::sync::mpsc::Sender<String>);

    impl std::io::Write for Lines {
        fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
            let _ = self.0.send(String::from_utf8_lossy(line).into_owned());
            Ok(line.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiting_client_reports_the_last_connection_error() {
        let (sender, lines) = channel();
        let writer = move || Lines(sender.clone());
        let _guard = set_default(fmt().with_ansi(false).with_writer(writer).finish());
        // A port that nothing listens on.
        let address = TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr());
        let address = format!("http://{}", address.unwrap());
        let link = Link {
            tls: crate::Tls::new(),
            access_token: None,
            connect_timeout: Duration::from_secs(1),
            gzip: false,
        };
        let servers = Servers::new(&[address.parse().unwrap()], &link).unwrap();
        let deadline = Deadline::new(Stage::Readiness, Duration::from_secs(12));
        let error = wait(&servers, None, deadline).await.unwrap_err();
        assert!(error.to_string().contains("cannot connect"), "{error}");
        let lines: Vec<String> = lines.try_iter().collect();
        assert_eq!(lines.len(), 2, "{lines:?}");
        for line in lines {
            let expected = "still waiting for the server and the model to be ready: cannot connect";
            assert!(line.contains(expected), "{line}");
        }
    }
}
