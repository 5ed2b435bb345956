//! The runtime of `pytriton`. Modules in the order of the request path:
//!
//! - [`http`], [`grpc`]: the protocol services.
//! - [`service`]: the state, errors and admission that both services share; [`access`]: access
//!   control; [`memory_budget`]: the limit on the bytes of all requests and responses.
//! - [`kserve`]: the codecs, which decode requests and encode responses; [`openai`],
//!   [`configuration`] and [`openapi`] are parts of them; [`proto`]: the messages of gRPC.
//! - [`repository`]: the model repository of loaded models.
//! - [`model`]: the description of a model; [`registry`]: the declarations of a binary.
//! - [`runtime_models`]: models that are defined at run time.
//! - [`shared_memory`]: memory that clients share with the server, and requests that refer to it.
//! - [`trace_extension`]: Triton's trace extension.
//! - [`request`]: requests and their validation against a model; [`call`]: the invocation of the
//!   user's function.
//! - [`tensor`]: datatypes, shapes, bytes.
//! - [`statistics`]: the statistics of a model; [`metrics`]: the same as Prometheus text.
//!
//! [`server`] contains the command line, the choice of the engine and its supervision; [`net`]: the
//! connections of a port; [`port`]: the ports of a server; [`tls`]: the certificates of the ports;
//! [`engine`]: the options of the engine. With the tritonserver engine, tritonserver provides the
//! services: [`triton`] starts and supervises it, and [`worker`] runs the batches it sends.
//!
//! # Features
//!
//! - `embedded`: the embedded engine: the HTTP and gRPC services, the model repository, the
//!   scheduler and the response cache.
//! - `tritonserver`: the tritonserver engine, and [`native`]. Available on Linux on x86_64 and
//!   aarch64; the feature has no effect on other targets.
//! - `otel`: exports request spans to a collector.
//! - `test-util`: a clock that tests pause.
//! - `fuzzing`: entry points for the fuzz targets of this repository; not public API.

#[cfg(not(any(feature = "embedded", feature = "tritonserver")))]
compile_error!(
    "pytriton has no engine: enable the feature `embedded`, the feature `tritonserver`, or both (both \
     are default features)"
);

#[cfg(all(feature = "tritonserver", not(any(feature = "embedded", tritonserver))))]
compile_error!(
    "pytriton has no engine for this target: the engine tritonserver requires Linux on x86_64 or \
     aarch64, so enable the feature `embedded`"
);

mod backend_macro;

pub mod engine;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
pub mod server;

pub use half;
pub use inventory;
pub use ndarray;
#[cfg(feature = "embedded")]
pub use pytriton_core::shared_memory;
#[cfg(test)]
pub(crate) use pytriton_core::testing;
pub use pytriton_core::{
    call, decorators, error, local_models, memory_budget, model, model_call, registry, request,
    runtime_models, shared_state, statistics, tracked_tensor,
};
#[cfg(feature = "embedded")]
pub(crate) use pytriton_core::{heap, offload, uncounted};
pub(crate) use pytriton_core::{instance, panic, status};
#[cfg(feature = "embedded")]
pub use pytriton_embedded::{grpc, http, metrics, repository, service, trace_extension};
pub use pytriton_engine::trace::{TracesError, TracesExporter};
pub use pytriton_engine::{HeaderForward, Limits, PatternError, access, flags, port, tls};
pub(crate) use pytriton_engine::{logging, trace};
pub use pytriton_kserve as kserve;
pub use pytriton_kserve::{LogFormat, configuration, openai, openapi};
pub use pytriton_net as net;
#[cfg(feature = "embedded")]
pub use pytriton_protocol::proto;
pub use pytriton_protocol::{tensor, typed};
#[cfg(tritonserver)]
pub use pytriton_tritonserver::{native, triton, worker};
pub use request::{Sequence, SequenceId};
pub use status::Status;
