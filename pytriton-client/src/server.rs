use std::future::Future;
use std::sync::Arc;

use futures_util::future::{BoxFuture, join_all};

use crate::config::ModelConfig;
use crate::grpc::{self, GrpcTransport};
use crate::http::HttpTransport;
use crate::request::{InferRequest, Load, Model};
use crate::shared_memory::{Region, RegionGuard, RegionServer, stale_regions};
use crate::statistics::ModelStatistics;
use crate::transport::Link;
use crate::{Address, ClientError, Outputs, SharedMemoryRegion};

/// A server and its transport.
#[derive(Debug, Clone)]
pub(crate) enum Server {
    Http(HttpTransport),
    Grpc(GrpcTransport),
}

/// Dispatches to either transport.
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

    /// Returns the same server with new connections.
    pub(crate) fn with_new_connections(&self) -> Self {
        match self {
            Self::Http(transport) => Self::Http(transport.with_new_connections()),
            Self::Grpc(transport) => Self::Grpc(transport.with_new_connections()),
        }
    }

    /// Returns the server's address.
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
            (server, Some(guard)) => {
                let ask = || async {
                    let result =
                        either!(server, transport => transport.infer_shared(request, guard));
                    // In all other cases the server may still be using the region.
                    if !matches!(
                        result,
                        Err(ClientError::Lost { .. } | ClientError::Timeout { .. })
                    ) {
                        guard.end();
                    }
                    result
                };
                self.sharing(guard, ask).await
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

    /// Sends an inference with tensors in a region, which is registered first. The caller reports
    /// when it no longer uses the region.
    async fn sharing<T, F>(
        self: &Arc<Self>,
        guard: &RegionGuard,
        ask: impl Fn() -> F,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let region = guard.region();
        let mut tries = 2;
        loop {
            if !region.is_registered(self) {
                self.unregister_stale_regions().await;
                // Recorded before the registration is sent: a cancelled call may leave a registered
                // region.
                region.note(Arc::clone(self) as _);
                match self.register(region).await {
                    Ok(()) => {}
                    // An earlier registration has succeeded although its call was cancelled; the
                    // name is unique.
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
            guard.begin();
            let result = ask().await;
            tries -= 1;
            let unknown = format!("Unable to find shared memory region: '{}'", region.name());
            match &result {
                // The server was restarted after the registration.
                Err(ClientError::Server { message, .. }) if message.contains(&unknown) => {
                    guard.end();
                    region.forget(self);
                    if tries == 0 {
                        return result;
                    }
                }
                Err(error) if error.is_unsent() => {
                    guard.end();
                    return result;
                }
                _ => return result,
            }
        }
    }

    /// Unregisters regions that killed clients have left; the server would otherwise keep their
    /// memory.
    async fn unregister_stale_regions(&self) {
        let requests = stale_regions().iter().map(|name| self.unregister(name));
        // Errors are ignored: the server may not know these regions.
        join_all(requests).await;
    }

    /// Returns the error for a server that refuses a region.
    fn elsewhere(&self, region: &Region, error: ClientError) -> ClientError {
        match error {
            ClientError::Server { message, .. } => ClientError::SharedMemory {
                message: format!(
                    "{} cannot open /dev/shm{}: {message}",
                    self.address(),
                    region.key()
                ),
            },
            other => other,
        }
    }

    /// Sends a request to a streaming model.
    pub(crate) async fn stream(
        self: &Arc<Self>,
        request: &Arc<InferRequest>,
    ) -> Result<grpc::ResponseStream, ClientError> {
        match (&**self, &request.shared) {
            (Self::Grpc(transport), None) => transport.stream(request).await,
            (Self::Grpc(transport), Some(guard)) => {
                let ask = || transport.stream_shared(request, guard);
                self.sharing(guard, ask).await
            }
            // Streaming clients refuse such addresses when they are created.
            (Self::Http(transport), _) => Err(ClientError::OnlyGrpc {
                what: "a request with any number of responses",
                address: transport.address().to_owned(),
            }),
        }
    }
}

impl RegionServer for Server {
    fn unregister<'a>(&'a self, region: &'a str) -> BoxFuture<'a, Result<(), ClientError>> {
        Box::pin(self.unregister(region))
    }

    fn reconnected(&self) -> Arc<dyn RegionServer> {
        Arc::new(self.with_new_connections())
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use tokio::time::timeout;

    use pytriton_protocol::tensor::Tensor;

    use std::time::Duration;

    use super::*;
    use crate::shared_memory::Pool;
    use crate::{InferOptions, Tls};

    #[tokio::test]
    async fn region_records_servers_that_may_know_it() {
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
        let guard = RegionGuard::new(&pool, &model, &inputs, &InferOptions::new(), false).await;
        let request = InferRequest {
            model: Model {
                name: model.name,
                version: String::new(),
            },
            id: String::new(),
            inputs,
            options: InferOptions::new(),
            shared: guard.unwrap(),
            as_json: false,
        };
        let region = request.shared.as_ref().unwrap().region();
        // The server accepts the connection and does not respond.
        let asked = timeout(Duration::from_millis(100), server.infer(&request)).await;
        assert!(asked.is_err() && region.is_registered(&server));
        region.forget(&server);
        drop(listener);
        let server = Arc::new(server.with_new_connections());
        let asked = server.infer(&request).await;
        assert!(asked.is_err_and(|error| error.is_unsent()));
        assert!(!region.is_registered(&server));
    }
}
