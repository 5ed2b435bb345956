//! Serves models on free ports, or loads them without ports, for tests.
//!
//! ```standalone_crate
//! use std::net::TcpStream;
//!
//! use pytriton::prelude::*;
//! use pytriton::testing;
//!
//! #[pytriton::model(name = "Double", max_batch_size = 8)]
//! #[batch]
//! fn double(x: ArrayView2<f32>) -> Array2<f32> {
//!     &x * 2.0
//! }
//!
//! let served = testing::serve_registered().unwrap();
//! assert!(TcpStream::connect(served.http()).is_ok());
//! ```
//!
//! With the feature `client`, it provides clients:
//! `served.client("Double")?.infer_sample(array![1.0_f32])?`.

pub(crate) mod attribute;

use std::net::SocketAddr;

use pytriton_runtime::access::Endpoints;
use pytriton_runtime::engine::EngineChoice;
use pytriton_runtime::model_call::Call;
use pytriton_runtime::runtime_models::{Function, Model};
#[cfg(feature = "test-util")]
pub use pytriton_runtime::server::advance;
use pytriton_runtime::server::{Builder, OptionsError, ServerError, Triton};

pub use attribute::TestParameter;

/// Models served by the embedded engine until this is dropped.
#[derive(Debug)]
pub struct Served {
    triton: Triton,
    http: SocketAddr,
    grpc: SocketAddr,
    metrics: SocketAddr,
}

/// Serves one model.
///
/// # Errors
///
/// Same as [`Triton::bind`] and [`Triton::run`].
pub fn serve(model: Model, function: impl Into<Function>) -> Result<Served, ServerError> {
    let triton = triton()?;
    triton.bind(model, function)?;
    Served::run(triton)
}

/// Serves all models of this binary that are annotated with `#[pytriton::model]`.
///
/// # Errors
///
/// Same as [`Triton::bind_registered`] and [`Triton::run`].
pub fn serve_registered() -> Result<Served, ServerError> {
    serve_registered_with(|server| server)
}

/// Serves all models of this binary, with changes to the server: states that the models take,
/// options, routes, readiness checks, or metrics.
///
/// # Errors
///
/// Same as [`serve_registered`], and as [`Builder::build`].
///
/// # Examples
///
/// ```standalone_crate
/// use std::sync::Arc;
///
/// use pytriton::prelude::*;
/// use pytriton::testing;
///
/// struct Weights(f32);
///
/// #[pytriton::model(name = "Scale", max_batch_size = 8)]
/// #[batch]
/// fn scale(x: ArrayView2<f32>, weights: &Arc<Weights>) -> Array2<f32> {
///     &x * weights.0
/// }
///
/// let weights = Arc::new(Weights(2.0));
/// let served = testing::serve_registered_with(|server| server.state(weights)).unwrap();
/// # drop(served);
/// ```
pub fn serve_registered_with(
    change: impl FnOnce(Builder) -> Builder,
) -> Result<Served, ServerError> {
    Served::run(registered(change)?)
}

/// Models loaded by the embedded engine until this is dropped, without ports. The program calls
/// them with their queue, steps and limits.
#[derive(Debug)]
pub struct Loaded(Triton);

/// Loads all models of this binary that are annotated with `#[pytriton::model]`.
///
/// # Errors
///
/// Same as [`Triton::bind_registered`] and [`Triton::router`].
///
/// # Examples
///
/// ```standalone_crate
/// use pytriton::ndarray::array;
/// use pytriton::prelude::*;
/// use pytriton::testing;
///
/// #[pytriton::model(name = "Double", client = Double, max_batch_size = 8)]
/// #[batch]
/// fn double(x: ArrayView2<f32>) -> Array2<f32> {
///     &x * 2.0
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let loaded = testing::load_registered()?;
/// let double = loaded.call::<Double>().ok_or("the models are stopped")?;
/// assert_eq!(double.call(array![[1.0]]).wait()?, array![[2.0]]);
/// # Ok(())
/// # }
/// ```
pub fn load_registered() -> Result<Loaded, ServerError> {
    load_registered_with(|server| server)
}

/// Loads all models of this binary, with changes to the server: states that the models take, or
/// options. Routes are an error, because there is no port.
///
/// # Errors
///
/// Same as [`load_registered`], and as [`Builder::build`].
pub fn load_registered_with(
    change: impl FnOnce(Builder) -> Builder,
) -> Result<Loaded, ServerError> {
    let triton = registered(change)?;
    triton.router()?;
    Ok(Loaded(triton))
}

impl Loaded {
    /// Returns a handle to call a model. Returns `None` if the models are stopped.
    pub fn call<M: crate::__typed::Model>(&self) -> Option<Call<M>> {
        self.0.call()
    }

    /// Returns the server, for binding more models and stopping it.
    pub fn triton(&self) -> &Triton {
        &self.0
    }
}

/// Returns a server with all annotated models of this binary.
fn registered(change: impl FnOnce(Builder) -> Builder) -> Result<Triton, ServerError> {
    let triton = change(builder()).build()?;
    triton.bind_registered()?;
    Ok(triton)
}

fn triton() -> Result<Triton, ServerError> {
    builder().build()
}

/// Ignores the port settings and access restrictions of the environment: only this program uses the
/// ports and models.
fn builder() -> Builder {
    let builder = Triton::builder().engine(EngineChoice::Embedded);
    builder.free_ports().options(|options| {
        (
            options.allow_http,
            options.allow_grpc,
            options.allow_metrics,
        ) = (true, true, true);
        options.access.restricted_endpoints = Endpoints(Vec::new());
    })
}

impl Served {
    fn run(triton: Triton) -> Result<Self, ServerError> {
        let addresses = triton.run()?;
        let (Some(http), Some(grpc), Some(metrics)) =
            (addresses.http(), addresses.grpc(), addresses.metrics())
        else {
            return Err(OptionsError::NoEndpoint.into());
        };
        Ok(Self {
            triton,
            http,
            grpc,
            metrics,
        })
    }

    /// Returns a blocking client for a model.
    ///
    /// # Errors
    ///
    /// See [`ModelClient::new`](crate::client::ModelClient::new). Also returns an error if the
    /// model does not exist.
    #[cfg(feature = "client")]
    pub fn client(
        &self,
        model: &str,
    ) -> Result<crate::client::ModelClient, crate::client::ClientError> {
        self.check(model)?;
        crate::client::ModelClient::new(&self.url(), model)
    }

    /// Returns an async client for a model.
    ///
    /// # Errors
    ///
    /// See [`client`](Self::client).
    #[cfg(feature = "client")]
    pub fn async_client(
        &self,
        model: &str,
    ) -> Result<crate::client::AsyncModelClient, crate::client::ClientError> {
        self.check(model)?;
        crate::client::AsyncModelClient::new(&self.url(), model)
    }

    /// Refuses unknown model names.
    #[cfg(feature = "client")]
    fn check(&self, name: &str) -> Result<(), crate::client::ClientError> {
        let models = self.triton.models();
        let mut names: Vec<&str> = models.iter().map(|model| &*model.name).collect();
        if names.contains(&name) {
            return Ok(());
        }
        names.dedup();
        Err(crate::client::ClientError::ModelUnavailable {
            model: name.to_owned(),
            message: format!("the models are {}", names.join(", ")),
        })
    }

    /// Returns the address for all kinds of clients.
    #[cfg(feature = "client")]
    fn url(&self) -> String {
        format!("grpc://{}", self.grpc)
    }

    /// Returns the HTTP address.
    pub fn http(&self) -> SocketAddr {
        self.http
    }

    /// Returns the gRPC address.
    pub fn grpc(&self) -> SocketAddr {
        self.grpc
    }

    /// Returns the metrics address.
    pub fn metrics(&self) -> SocketAddr {
        self.metrics
    }

    /// Returns the server, for binding more models and stopping it.
    pub fn triton(&self) -> &Triton {
        &self.triton
    }
}
