//! The parts of a program that only the embedded engine serves.

use std::mem::take;
use std::sync::Arc;

use pytriton_embedded::ReadinessCheck;
use pytriton_embedded::axum::Router;
use pytriton_embedded::metrics::ProgramMetrics;
use pytriton_embedded::prometheus_client::registry::Registry;

use crate::server::embedded::Extensions;
use crate::server::{Builder, ServerError};
use crate::shared_state::SharedStates;

use super::{App, Cli};

/// The parts of a program with the arguments `A`.
pub(in crate::server) struct EngineParts<A> {
    routers: Vec<Box<RouterPart<A>>>,
    checks: Vec<Box<Check<A>>>,
    metrics: Vec<Registry>,
}

type RouterPart<A> = dyn Fn(Router, &App<A>) -> Router + Send + Sync;
type Check<A> = dyn Fn(&App<A>) -> bool + Send + Sync;

impl<A> Cli<A> {
    /// Adds routes and layers to the HTTP port. The function receives a router that serves the
    /// models, as its fallback, and returns it with its own routes and tower layers. A layer
    /// applies to the models and to all routes that are added before it. A layer that changes the
    /// body of an event stream must keep its events whole or change the content type, because the
    /// server sends comments between them.
    ///
    /// gRPC is not affected. Several functions are called in order.
    ///
    /// Only the embedded engine supports this: `--engine auto` selects it, and `--engine
    /// tritonserver` is an error.
    ///
    /// # Limits
    ///
    /// The limits of the port's connections apply to all routes: `--max-connections`,
    /// `--header-timeout-secs`, `--max-headers` over HTTP/1.1, `--allowed-hosts`, and
    /// `--body-timeout-secs` for a client that does not read its response. When the server stops,
    /// handlers have until `--exit-timeout-secs` to respond.
    ///
    /// The other limits apply only to the routes of the models. A route of the program has none of
    /// these, and usually needs layers of its own, which the guide of `pytriton` lists:
    ///
    /// - `--http-max-input-size`: axum's extractors read at most 2 MiB (`DefaultBodyLimit`). A
    ///   handler that reads the body itself has no limit.
    /// - `--max-header-bytes`: the head of a request may be up to four times as large, or 8 KiB.
    /// - `--body-timeout-secs` for the body of a request: a client that stops sending keeps its
    ///   connection.
    /// - `--max-bytes-in-flight`: bodies that a handler reads and returns do not count.
    /// - The limits of queues: the number and the duration of a handler's calls are not limited.
    /// - Access tokens and `--http-restricted-api`: every client may use the routes.
    pub fn router<F>(mut self, extend: F) -> Self
    where
        F: Fn(Router, &App<A>) -> Router + Send + Sync + 'static,
    {
        self.engine.routers.push(Box::new(extend));
        self
    }

    /// Adds a condition for the readiness of the server, in addition to that of its models. The
    /// function is called for each probe and must return at once.
    ///
    /// Only the embedded engine supports this, like [`router`](Self::router).
    pub fn ready<F>(mut self, check: F) -> Self
    where
        F: Fn(&App<A>) -> bool + Send + Sync + 'static,
    {
        self.engine.checks.push(Box::new(check));
        self
    }

    /// Adds the metrics of a registry of `prometheus-client` to `/metrics`, after those of the
    /// server. Names that start with `nv_`, `process_` or `pytriton_`, and names that occur twice,
    /// are errors at start.
    ///
    /// Only the embedded engine supports this, like [`router`](Self::router).
    pub fn metrics(mut self, registry: Registry) -> Self {
        self.engine.metrics.push(registry);
        self
    }
}

impl Builder {
    /// Adds routes and layers to the HTTP port, with the limits that [`Cli::router`] describes.
    ///
    /// [`Triton::router`](crate::server::Triton::router) does not serve them, and is an error unless
    /// the server is running: the application adds its routes to its own router.
    pub fn router<F>(mut self, extend: F) -> Self
    where
        F: Fn(Router, &App) -> Router + Send + Sync + 'static,
    {
        self.parts.routers.push(Box::new(extend));
        self
    }

    /// Adds a condition for the readiness of the server, as [`Cli::ready`] does.
    pub fn ready(mut self, check: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.parts.checks.push(Box::new(move |_| check()));
        self
    }

    /// Adds the metrics of a registry of `prometheus-client` to `/metrics`, as [`Cli::metrics`]
    /// does.
    pub fn metrics(mut self, registry: Registry) -> Self {
        self.parts.metrics.push(registry);
        self
    }
}

impl<A: Send + Sync + 'static> EngineParts<A> {
    /// Checks the metrics, and returns them.
    pub(in crate::server) fn take_metrics(
        &mut self,
    ) -> Result<Option<ProgramMetrics>, ServerError> {
        let metrics = take(&mut self.metrics);
        match metrics.is_empty() {
            true => Ok(None),
            false => Ok(Some(ProgramMetrics::new(metrics)?)),
        }
    }

    /// Returns the parts for the engine.
    pub(in crate::server) fn extensions(
        self,
        own: &Arc<A>,
        states: &Arc<SharedStates>,
        metrics: Option<ProgramMetrics>,
    ) -> Extensions {
        let mut extensions = Extensions {
            metrics,
            ..Extensions::default()
        };
        let Self {
            routers, checks, ..
        } = self;
        let (own, states) = (Arc::clone(own), Arc::clone(states));
        let app = move |addresses, models| {
            App::new(
                Arc::clone(&own),
                Arc::clone(&states),
                addresses,
                Some(models),
            )
        };
        if !routers.is_empty() {
            let app = app.clone();
            extensions.router = Some(Arc::new(move |router, addresses, models| {
                let app = app(addresses, models);
                let routers = routers.iter();
                routers.fold(router, |router, extend| extend(router, &app))
            }));
        }
        if !checks.is_empty() {
            let checks = Arc::new(checks);
            extensions.ready = Some(Arc::new(move |addresses, models| {
                let (app, checks) = (app(addresses, models), Arc::clone(&checks));
                ReadinessCheck::new(move || checks.iter().all(|check| check(&app)))
            }));
        }
        extensions
    }
}

impl<A> Default for EngineParts<A> {
    fn default() -> Self {
        Self {
            routers: Vec::new(),
            checks: Vec::new(),
            metrics: Vec::new(),
        }
    }
}
