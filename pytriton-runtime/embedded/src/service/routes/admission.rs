use axum::http::{HeaderMap, Method, Uri};
use pytriton_engine::port::Port;

use crate::service::{AppState, Restricted};

use super::head::check_head;
use super::route::{ErrorFormat, Route, RouteMatch};
use super::table::find;
use super::{Endpoint, Rejection};

/// The namespace of the OpenAI API.
const OPENAI_PATHS: &str = "/v1/";

/// Returns the route of a request, or why the request is refused and the format of the error. The
/// limits of the head are checked first, then the path, access and the method.
#[inline]
pub(crate) fn admit<'a>(
    app_state: &AppState,
    port: Port,
    uri: &'a Uri,
    method: &Method,
    headers: &HeaderMap,
) -> Result<RouteMatch<'a>, (Rejection, ErrorFormat)> {
    if let Err(rejection) = check_head(port, uri, headers, &app_state.limits.connections) {
        return Err((rejection, ErrorFormat::of_port(port)));
    }
    let path = uri.path();
    let found = find(port, path).filter(|found| is_served(app_state, port, found.route.endpoint));
    let Some(found) = found else {
        return Err((Rejection::NotFound, error_format(app_state, port, path)));
    };
    let route = found.route;
    if let Err(restricted) = check_access(app_state, route, headers) {
        let format = match route.errors {
            ErrorFormat::Json => ErrorFormat::PlainJson,
            format => format,
        };
        return Err((Rejection::Restricted(restricted), format));
    }
    match route.methods.contains(method) {
        true => Ok(found),
        false => {
            let allowed = route.methods;
            Err((Rejection::Method { allowed }, route.errors))
        }
    }
}

/// Checks whether the access rules of a route allow a request.
///
/// # Errors
///
/// Returns [`Restricted`], which names the required header.
#[inline]
pub(crate) fn check_access(
    app_state: &AppState,
    route: &Route,
    headers: &HeaderMap,
) -> Result<(), Restricted> {
    let mut operations = route.operations.iter();
    operations.try_for_each(|operation| app_state.access_control.admit(*operation, headers))
}

/// Returns the format of an error that is found before the route of a request.
pub(crate) fn error_format(app_state: &AppState, port: Port, path: &str) -> ErrorFormat {
    match port {
        Port::Http if path.starts_with(OPENAI_PATHS) && app_state.has_texts() => {
            ErrorFormat::OpenAi
        }
        port => ErrorFormat::of_port(port),
    }
}

/// Returns whether a request is served on connections beyond the connection limit.
pub(crate) fn is_probe(port: Port, path: &str, method: &Method) -> bool {
    let route = find(port, path).map(|found| found.route);
    route.is_some_and(|route| route.is_probe && route.methods.contains(method))
}

/// Returns whether the docs page uses a path of the KServe API.
pub fn is_used_by_page(path: &str) -> bool {
    find(Port::Docs, path).is_some()
}

/// Returns whether the server has the handler of a route. The HTTP port always has those of the
/// KServe API, and the others only if they are enabled.
fn is_served(app_state: &AppState, port: Port, endpoint: Endpoint) -> bool {
    match endpoint {
        Endpoint::OpenAi(_) if port == Port::Http => app_state.has_texts(),
        Endpoint::Docs(_) if port == Port::Http => app_state.docs.is_some(),
        _ => true,
    }
}
