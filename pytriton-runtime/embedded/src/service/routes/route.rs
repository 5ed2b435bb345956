use axum::http::Method;
use pytriton_engine::access::Group;
use pytriton_engine::port::Port;

use crate::service::Operation;

use super::Endpoint;
#[cfg(any(test, feature = "fuzzing"))]
use super::Rpc;
use super::pattern::{Params, Pattern, Segments};

/// The maximum number of patterns of a route: without and with a version, repository or region.
const MAX_PATTERNS: usize = 2;

/// A row of the table of routes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Route {
    patterns: [Pattern; MAX_PATTERNS],
    pattern_count: usize,
    pub(crate) methods: &'static [Method],
    pub(crate) endpoint: Endpoint,
    /// The operations whose access rules apply. Static content has none.
    pub(crate) operations: &'static [Operation],
    /// One bit per port.
    ports: u8,
    /// The format of the errors of the path itself.
    pub(crate) errors: ErrorFormat,
    pub(crate) body: BodySize,
    /// Whether a client may send any number of messages, with pauses in between.
    pub(crate) is_streaming: bool,
    /// Whether it is served on connections beyond the connection limit.
    pub(crate) is_probe: bool,
}

/// A route and the parameters of the requested path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RouteMatch<'a> {
    pub(crate) route: &'static Route,
    pub(crate) params: Params<'a>,
}

/// The format of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    /// KServe's JSON object.
    Json,
    /// The same object, which Triton sends as `text/plain` in some cases.
    PlainJson,
    /// OpenAI's JSON object.
    OpenAi,
    /// A gRPC status.
    Grpc,
    /// No body.
    Empty,
}

/// The limit of a request body, or of each message of a gRPC call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodySize {
    /// The body is not read.
    Unread,
    /// Names or nothing.
    Small,
    /// Settings and registrations.
    Settings,
    /// Tensors and files: `--http-max-input-size` or `--grpc-max-input-size`.
    Input,
}

impl Route {
    /// Creates a row. Each method below changes one of its columns.
    pub(super) const fn new(
        port: Port,
        methods: &'static [Method],
        paths: &[&'static str],
        endpoint: Endpoint,
        operations: &'static [Operation],
    ) -> Self {
        let mut patterns = [Pattern::new(paths[0]); MAX_PATTERNS];
        let mut count = 1;
        while count < paths.len() {
            patterns[count] = Pattern::new(paths[count]);
            count += 1;
        }
        Self {
            patterns,
            pattern_count: count,
            methods,
            endpoint,
            operations,
            ports: 1 << port as u8,
            errors: ErrorFormat::of_port(port),
            body: BodySize::Unread,
            is_streaming: false,
            is_probe: false,
        }
    }

    /// Adds a port.
    pub(super) const fn on(self, port: Port) -> Self {
        let ports = self.ports | 1 << port as u8;
        Self { ports, ..self }
    }

    pub(super) const fn errors(self, errors: ErrorFormat) -> Self {
        Self { errors, ..self }
    }

    pub(super) const fn reads(self, body: BodySize) -> Self {
        Self { body, ..self }
    }

    pub(super) const fn streaming(self) -> Self {
        Self {
            is_streaming: true,
            ..self
        }
    }

    pub(super) const fn probe(self) -> Self {
        Self {
            is_probe: true,
            ..self
        }
    }

    /// Returns the patterns of its paths.
    pub(crate) fn patterns(&self) -> &[Pattern] {
        &self.patterns[..self.pattern_count]
    }

    /// Returns the last segment of its first path, which is the name of a gRPC method.
    pub(crate) fn name(&self) -> &'static str {
        let path = self.patterns[0].text();
        path.rsplit_once('/').map_or(path, |(_, name)| name)
    }

    /// Returns the handler of a gRPC method.
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) const fn rpc(&self) -> Option<Rpc> {
        match self.endpoint {
            Endpoint::Rpc(rpc) => Some(rpc),
            _ => None,
        }
    }

    /// Returns whether a port serves it.
    pub(crate) const fn is_on(&self, port: Port) -> bool {
        self.ports & 1 << port as u8 != 0
    }

    /// Returns whether it must respond even if the memory budget is exhausted.
    pub(crate) fn is_health(&self) -> bool {
        let groups = self.operations.iter().map(|operation| operation.group());
        groups.eq([Group::Health])
    }

    /// Returns the parameters of a path, or `None` if this is not its route.
    #[inline]
    pub(super) fn matches<'a>(&'static self, path: &Segments<'a>) -> Option<RouteMatch<'a>> {
        let mut patterns = self.patterns().iter();
        let params = patterns.find_map(|pattern| pattern.matches(path))?;
        Some(RouteMatch {
            route: self,
            params,
        })
    }
}

impl ErrorFormat {
    /// Returns the format for paths of a port that have no route.
    pub(crate) const fn of_port(port: Port) -> Self {
        match port {
            Port::Http | Port::Docs => Self::PlainJson,
            Port::OpenAi => Self::OpenAi,
            Port::Grpc => Self::Grpc,
            Port::Metrics | Port::SageMaker | Port::VertexAi => Self::Empty,
        }
    }
}
