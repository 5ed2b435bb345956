use std::sync::Arc;

use axum::Router;
use pytriton_engine::access::{Access, Closed, Protocol};
use pytriton_engine::options::{ControlMode, Options};
use pytriton_engine::{Addresses, HeaderForward, Limits};
use pytriton_kserve::SERVER_METADATA;
use pytriton_kserve::openapi::ServedRoutes;

use crate::grpc;
use crate::repository::ModelRepository;
use crate::service::{AccessControl, AppState, OpenApiDocument};

/// Creates the HTTP and gRPC services. `addresses` is `None` if this server does not open their
/// ports.
pub fn services(
    models: &Arc<ModelRepository>,
    limits: Limits,
    options: &Options,
    access: &Access,
    addresses: Option<&Addresses>,
) -> (Arc<AppState>, Router) {
    let regions = Arc::default();
    let id = options.triton.flags.values("id").last();
    let id: Arc<str> = match id {
        Some(id) => id.to_string_lossy().into(),
        None => SERVER_METADATA.name.into(),
    };
    let app_state = |forward: &HeaderForward, protocol, max_request_bytes| AppState {
        id: Arc::clone(&id),
        models: Arc::clone(models),
        limits: Limits {
            max_request_bytes,
            ..limits
        },
        forward: forward.clone(),
        access_control: AccessControl::new(access, protocol),
        regions: Arc::clone(&regions),
        access_log: options.access_log.is_some(),
        docs: None,
    };
    let http = AppState {
        docs: options.allow_docs.then(|| {
            let routes = page_routes(options, access, addresses);
            Arc::new(OpenApiDocument::new(routes))
        }),
        ..app_state(
            &options.http_header_forward_pattern,
            Protocol::Http,
            limits.max_request_bytes,
        )
    };
    let grpc = app_state(
        &options.grpc_header_forward_pattern,
        Protocol::Grpc,
        options.grpc_max_input_size(),
    );
    (Arc::new(http), grpc::routes(grpc))
}

/// Returns the routes and, if known, the other ports, as the docs page shows them.
pub(super) fn page_routes(
    options: &Options,
    access: &Access,
    addresses: Option<&Addresses>,
) -> ServedRoutes {
    let explicit = options.control.model_control_mode == ControlMode::Explicit;
    let routes = ServedRoutes::new(
        access.closed(Protocol::Http).iter().map(Closed::restricted),
        explicit,
    );
    match addresses {
        Some(addresses) => routes.with_other_ports(addresses.beside_docs()),
        None => routes,
    }
}
