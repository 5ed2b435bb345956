use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use crate::config::ModelConfig;
use crate::grpc::{self, GrpcTransport};
use crate::http::HttpTransport;
use crate::request::{InferRequest, Load, Model};
use crate::shared_memory::{Lent, Region, strays};
use crate::statistics::ModelStatistics;
use crate::transport::Tls;
use crate::{Address, ClientError, Outputs, SharedMemoryRegion};

/// A server, as it is spoken to.
#[derive(Debug, Clone)]
pub(crate) enum Server {
    Http(HttpTransport),
    Grpc(GrpcTransport),
}

/// How a server is asked, whatever is asked.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) tls: Tls,
    pub(crate) access_token: Option<String>,
    pub(crate) connect_timeout: Duration,
    pub(crate) gzip: bool,
}

/// Asks over either transport.
macro_rules! either {
    ($server:expr, $transport:ident => $ask:expr) => {
        match $server {
            Server::Http($transport) => $ask.await,
            Server::Grpc($transport) => $ask.await,
        }
    };
}

impl Server {
    pub(crate) fn new(address: &Address, link: &Link) -> Result<Self, ClientError> {
        Ok(match address.scheme().is_grpc() {
            true => Self::Grpc(GrpcTransport::new(address, link)?),
            false => Self::Http(HttpTransport::new(address, link)?),
        })
    }

    /// The same with connections of its own.
    pub(crate) fn anew(&self) -> Self {
        match self {
            Self::Http(transport) => Self::Http(transport.anew()),
            Self::Grpc(transport) => Self::Grpc(transport.anew()),
        }
    }

    /// Its address in words.
    pub(crate) fn address(&self) -> &str {
        match self {
            Self::Http(transport) => transport.address(),
            Self::Grpc(transport) => transport.address(),
        }
    }

    pub(crate) async fn is_live(&self) -> Result<bool, ClientError> {
        match self {
            Self::Http(transport) => transport.is("/v2/health/live").await,
            Self::Grpc(transport) => transport.is_live().await,
        }
    }

    pub(crate) async fn is_ready(&self) -> Result<bool, ClientError> {
        match self {
            Self::Http(transport) => transport.is("/v2/health/ready").await,
            Self::Grpc(transport) => transport.is_ready().await,
        }
    }

    pub(crate) async fn is_model_ready(&self, model: &Model) -> Result<bool, ClientError> {
        either!(self, transport => transport.is_model_ready(model))
    }

    pub(crate) async fn config(&self, model: &Model) -> Result<ModelConfig, ClientError> {
        either!(self, transport => transport.config(model))
    }

    pub(crate) async fn statistics(
        &self,
        model: &Model,
    ) -> Result<Vec<ModelStatistics>, ClientError> {
        either!(self, transport => transport.statistics(model))
    }

    pub(crate) async fn load(&self, model: &Model, load: &Load) -> Result<(), ClientError> {
        either!(self, transport => transport.load(model, load))
    }

    pub(crate) async fn unload(&self, model: &Model) -> Result<(), ClientError> {
        either!(self, transport => transport.unload(model))
    }

    pub(crate) async fn infer(
        self: &Arc<Self>,
        request: &InferRequest,
    ) -> Result<Outputs, ClientError> {
        match (&**self, &request.shared) {
            (server, Some(lent)) => {
                let ask = || async {
                    let answered =
                        either!(server, transport => transport.infer_shared(request, lent));
                    // Nobody knows otherwise whether the server still works on it.
                    if !matches!(
                        answered,
                        Err(ClientError::Lost { .. } | ClientError::Timeout { .. })
                    ) {
                        lent.end();
                    }
                    answered
                };
                self.sharing(lent, ask).await
            }
            (Self::Http(transport), None) if request.as_json => transport.infer_json(request).await,
            (server, None) => either!(server, transport => transport.infer(request)),
        }
    }

    pub(crate) async fn regions(&self) -> Result<Vec<SharedMemoryRegion>, ClientError> {
        either!(self, transport => transport.regions())
    }

    async fn register(&self, region: &Region) -> Result<(), ClientError> {
        either!(self, transport => transport.register(region.name(), &region.key(), region.capacity()))
    }

    pub(crate) async fn unregister(&self, region: &str) -> Result<(), ClientError> {
        either!(self, transport => transport.unregister(region))
    }

    /// Asks for an inference of which something is in a region, of which the server is told first. Whoever asks says when it is done with
    /// the region that it has.
    async fn sharing<T, F>(
        self: &Arc<Self>,
        lent: &Lent,
        ask: impl Fn() -> F,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let region = lent.region();
        let mut tries = 2;
        loop {
            if !region.is_registered(self) {
                self.forget_strays().await;
                // Before it is told: who is cut off meanwhile leaves a region that it may know of.
                region.note(self);
                match self.register(region).await {
                    Ok(()) => {}
                    // One that was cut off came through: no other region has the name.
                    Err(ClientError::Server { message, .. })
                        if message.contains("already in manager") => {}
                    Err(error) => {
                        if error.is_unsent() || matches!(error, ClientError::Server { .. }) {
                            region.forget(self);
                        }
                        return Err(self.elsewhere(region, error));
                    }
                }
            }
            lent.begin();
            let answered = ask().await;
            tries -= 1;
            let unknown = format!("Unable to find shared memory region: '{}'", region.name());
            match &answered {
                // It has been started again since it was told.
                Err(ClientError::Server { message, .. }) if message.contains(&unknown) => {
                    lent.end();
                    region.forget(self);
                    if tries == 0 {
                        return answered;
                    }
                }
                Err(error) if error.is_unsent() => {
                    lent.end();
                    return answered;
                }
                _ => return answered,
            }
        }
    }

    /// Has it forget what others have left behind them, which it keeps otherwise as long as it lives.
    async fn forget_strays(&self) {
        let told = strays().iter().map(|name| self.unregister(name));
        // Whether it knew of them or not.
        join_all(told).await;
    }

    /// Why a server does not take a region.
    fn elsewhere(&self, region: &Region, error: ClientError) -> ClientError {
        match error {
            ClientError::Server { message, .. } => ClientError::SharedMemory {
                message: format!(
                    "{} does not take /dev/shm{}, which it must be able to open: {message}",
                    self.address(),
                    region.key()
                ),
            },
            other => other,
        }
    }

    /// Asks for any number of answers.
    pub(crate) async fn stream(
        self: &Arc<Self>,
        request: &Arc<InferRequest>,
    ) -> Result<grpc::Answers, ClientError> {
        match (&**self, &request.shared) {
            (Self::Grpc(transport), None) => transport.stream(request).await,
            (Self::Grpc(transport), Some(lent)) => {
                let ask = || transport.stream_shared(request, lent);
                self.sharing(lent, ask).await
            }
            // Clients that ask for these are not made for such an address.
            (Self::Http(transport), _) => Err(ClientError::OnlyGrpc {
                what: "asking for any number of answers",
                address: transport.address().to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use tokio::time::timeout;

    use pytriton_protocol::tensor::Tensor;

    use super::*;
    use crate::InferOptions;
    use crate::shared_memory::Pool;

    #[tokio::test]
    async fn a_region_of_which_a_server_may_know_is_noted() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let link = Link {
            tls: Tls::new(),
            access_token: None,
            connect_timeout: Duration::from_secs(5),
            gzip: false,
        };
        let server = Arc::new(Server::new(&url.parse().unwrap(), &link).unwrap());
        let tensor = Tensor::from_elements(vec![1 << 20], vec![7_u8; 1 << 20]).unwrap();
        let inputs = vec![("x".to_owned(), tensor)];
        let model = serde_json::json!({"name": "m"});
        let model = ModelConfig::from_json(&model).unwrap();
        let pool = Arc::new(Pool::new(8 << 20));
        let lent = Lent::new(&pool, &model, &inputs, &InferOptions::new(), false).await;
        let request = InferRequest {
            model: Model {
                name: model.name,
                version: String::new(),
            },
            id: String::new(),
            inputs,
            options: InferOptions::new(),
            shared: lent.unwrap(),
            as_json: false,
        };
        let region = request.shared.as_ref().unwrap().region();
        // It takes the connection and says nothing.
        let asked = timeout(Duration::from_millis(100), server.infer(&request)).await;
        assert!(asked.is_err() && region.is_registered(&server));
        region.forget(&server);
        drop(listener);
        let server = Arc::new(server.anew());
        let asked = server.infer(&request).await;
        assert!(asked.is_err_and(|error| error.is_unsent()));
        assert!(!region.is_registered(&server));
    }
}
