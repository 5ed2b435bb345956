use std::sync::Arc;

use axum::http::request::Parts;
use axum::http::{Request, Response};
use futures_util::future::BoxFuture;
use pytriton_core::request::ArrivalOrder;
use pytriton_engine::logging::AccessLogFormat;
use pytriton_engine::port::Port;
use pytriton_net::{HttpService, Refusal, RequestBody};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::access_log::{ConnectionLog, PendingLine};
use crate::http;
use crate::service::routes::{Endpoint, Rpc, find};

use super::body::{PortBody, logged};
use super::routes::PortRoutes;

/// Serves the requests of a port.
#[derive(Debug)]
pub struct PortService {
    routes: Arc<PortRoutes>,
    /// The order of the requests of one connection.
    order: ArrivalOrder,
    /// The access log, if it is enabled.
    log: Option<Arc<ConnectionLog>>,
}

impl PortService {
    /// Creates a service for the first connection.
    pub fn new(routes: PortRoutes) -> Self {
        Self {
            routes: Arc::new(routes),
            order: ArrivalOrder::default(),
            log: None,
        }
    }

    /// Writes a line for each request, if there is a format.
    pub fn access_log(mut self, format: Option<AccessLogFormat>) -> Self {
        self.log = format.map(ConnectionLog::new);
        self
    }
}

/// Serves a port until `stop` is set, as [`pytriton_net::Endpoint::serve`] does.
///
/// The future is boxed here, so that the code of connections is compiled in this crate, where the
/// services can be inlined into it.
pub fn serve(
    endpoint: pytriton_net::Endpoint<PortService>,
    stop: watch::Receiver<Option<Instant>>,
) -> BoxFuture<'static, bool> {
    Box::pin(endpoint.serve(stop))
}

impl HttpService for PortService {
    type Body = PortBody;

    fn connect(&self) -> Self {
        Self {
            routes: Arc::clone(&self.routes),
            order: ArrivalOrder::default(),
            log: self.log.clone(),
        }
    }

    fn accept(&mut self, stream: &TcpStream) {
        if let Some(log) = &mut self.log {
            *log = log.of_client(stream.peer_addr().ok());
        }
    }

    fn is_health(&self, head: &Parts) -> bool {
        self.routes.is_probe(head)
    }

    fn refuse(&self, head: &Parts, refusal: Refusal) -> Response<PortBody> {
        let response = self.routes.refuse(head, refusal);
        match &self.log {
            Some(log) => logged(response, log.begin(head)),
            None => response,
        }
    }

    /// Not an `async fn`, because the future is moved before it is first polled. Its size includes
    /// everything it may ever hold, so `head` and `body` are captured only once.
    #[inline]
    fn call(
        &self,
        mut head: Parts,
        mut body: RequestBody,
    ) -> impl Future<Output = Response<PortBody>> + Send + 'static + use<> {
        let routes = Arc::clone(&self.routes);
        if routes.keep_order() && is_inference_call(head.uri.path()) {
            head.extensions.insert(self.order.arrive());
        }
        let line = self.log.as_ref().map(|log| log.begin(&head));
        async move {
            if let Some(line) = line {
                return Box::pin(respond_logged(routes, head, body, line)).await;
            }
            match routes.kserve(&head.headers) {
                Some(app_state) => {
                    let response = http::handle_parts(app_state, Port::Http, &mut head, &mut body);
                    response.await.map(PortBody::http)
                }
                None => {
                    let request = Request::from_parts(head, body);
                    Box::pin(routes.handle(request)).await
                }
            }
        }
    }
}

/// Serves a request in the access log.
async fn respond_logged(
    routes: Arc<PortRoutes>,
    mut head: Parts,
    mut body: RequestBody,
    line: Box<PendingLine>,
) -> Response<PortBody> {
    let response = line.around(async {
        match routes.kserve(&head.headers) {
            Some(app_state) => {
                let response = http::handle_parts(app_state, Port::Http, &mut head, &mut body);
                response.await.map(PortBody::http)
            }
            None => routes.handle(Request::from_parts(head, body)).await,
        }
    });
    logged(response.await, line)
}

/// Returns whether the path is that of unary inference calls.
fn is_inference_call(path: &str) -> bool {
    let found = find(Port::Grpc, path);
    found.is_some_and(|found| found.route.endpoint == Endpoint::Rpc(Rpc::ModelInfer))
}
