use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pytriton_runtime::server::{Addresses, ServerError};

use crate::engine::{Engine, stop};
use crate::validation_error::ValidationError;

/// A running server. `stop()` or leaving a `with` block ends it.
#[pyclass(frozen, name = "Server", module = "pytriton")]
pub(crate) struct Handle {
    engine: Arc<Engine>,
    addresses: Addresses,
}

impl Handle {
    pub(crate) fn new(engine: Arc<Engine>) -> PyResult<Self> {
        let Some(addresses) = engine.triton.addresses() else {
            return Err(ValidationError::Ended.into());
        };
        Ok(Self { engine, addresses })
    }

    /// Returns the text that a binary prints when it is ready.
    pub(crate) fn banner(&self) -> String {
        let urls = self.addresses.urls();
        let urls = urls.map(|(name, url)| format!("  {name:<8} {url}\n"));
        urls.chain(["ready".to_owned()]).collect()
    }

    pub(crate) fn serves(&self) -> bool {
        self.engine.triton.addresses().is_some()
    }

    /// Starts to stop the server, and returns the thread that does so.
    pub(crate) fn stopping(&self) -> JoinHandle<Result<(), ServerError>> {
        let engine = Arc::clone(&self.engine);
        thread::spawn(move || stop(&engine))
    }
}

#[pymethods]
impl Handle {
    /// Returns the HTTP address as `host:port`; `None` if HTTP is disabled.
    #[getter]
    fn http(&self) -> Option<String> {
        self.addresses.http().map(reachable)
    }

    /// Returns the gRPC address as `host:port`; `None` if gRPC is disabled.
    #[getter]
    fn grpc(&self) -> Option<String> {
        self.addresses.grpc().map(reachable)
    }

    /// Returns the metrics address as `host:port`; `None` if metrics are disabled.
    #[getter]
    fn metrics(&self) -> Option<String> {
        self.addresses.metrics().map(reachable)
    }

    /// Completes all accepted requests and stops the server. Has no effect on a stopped server.
    pub(crate) fn stop(&self, py: Python<'_>) -> PyResult<()> {
        let stopped = py.detach(|| stop(&self.engine));
        stopped.map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, PyAny>) -> PyResult<()> {
        self.stop(py)
    }

    fn __repr__(&self) -> String {
        if !self.serves() {
            return "<stopped Server>".to_owned();
        }
        let urls: Vec<String> = self.addresses.urls().map(|(_, url)| url).collect();
        format!("<Server at {}>", urls.join(", "))
    }
}

/// Returns an address that clients on this machine can connect to.
fn reachable(at: SocketAddr) -> String {
    let ip = match at.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, at.port()).to_string()
}
