use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pytriton_runtime::server::{Addresses, ServerError};

use crate::engine::{Engine, stop};
use crate::mistake::Mistake;

/// Models that are served. `stop()` ends it, and so does leaving a `with` of it.
#[pyclass(frozen, name = "Server", module = "pytriton")]
pub(crate) struct Handle {
    engine: Arc<Engine>,
    addresses: Addresses,
}

impl Handle {
    pub(crate) fn new(engine: Arc<Engine>) -> PyResult<Self> {
        let Some(addresses) = engine.triton.addresses() else {
            return Err(Mistake::Ended.into());
        };
        Ok(Self { engine, addresses })
    }

    /// What a binary prints when it is ready.
    pub(crate) fn banner(&self) -> String {
        let urls = self.addresses.urls();
        let urls = urls.map(|(name, url)| format!("  {name:<8} {url}\n"));
        urls.chain(["ready".to_owned()]).collect()
    }

    pub(crate) fn serves(&self) -> bool {
        self.engine.triton.addresses().is_some()
    }

    /// Begins to stop it.
    pub(crate) fn stopping(&self) -> JoinHandle<Result<(), ServerError>> {
        let engine = Arc::clone(&self.engine);
        thread::spawn(move || stop(&engine))
    }
}

#[pymethods]
impl Handle {
    /// Where HTTP is served, as `host:port`; `None` where it is not.
    #[getter]
    fn http(&self) -> Option<String> {
        self.addresses.http.map(reachable)
    }

    /// Where gRPC is served, as `host:port`; `None` where it is not.
    #[getter]
    fn grpc(&self) -> Option<String> {
        self.addresses.grpc.map(reachable)
    }

    /// Where metrics are served, as `host:port`; `None` where they are not.
    #[getter]
    fn metrics(&self) -> Option<String> {
        self.addresses.metrics.map(reachable)
    }

    /// Answers what has been accepted, and serves no longer. What has stopped is left alone.
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
            return "<Server that has stopped>".to_owned();
        }
        let urls: Vec<String> = self.addresses.urls().map(|(_, url)| url).collect();
        format!("<Server at {}>", urls.join(", "))
    }
}

/// An address that a client on this machine can take.
fn reachable(at: SocketAddr) -> String {
    let ip = match at.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    SocketAddr::new(ip, at.port()).to_string()
}
