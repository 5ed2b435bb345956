use axum::http::Request;

use crate::service::AppState;

use super::super::HttpError;
use super::super::answer::{Answer, refusal};
use super::super::body::Body;
use super::super::route::{ModelAction, Route};
use super::super::router::answer;
use super::is_route;

/// Returns whether the docs page uses this path of the KServe protocol.
pub(crate) fn is_used_by_page(path: &str) -> bool {
    Route::parse(path).as_ref().is_some_and(is_page_route)
}

/// Returns whether the docs page uses this route.
pub(super) fn is_page_route(route: &Route<'_>) -> bool {
    match route {
        Route::ServerReady => true,
        Route::Model { action, .. } => matches!(
            action,
            ModelAction::Infer
                | ModelAction::Generate
                | ModelAction::GenerateStream
                | ModelAction::Statistics
        ),
        _ => false,
    }
}

/// Serves the page and the routes that it uses on a separate port.
pub(crate) async fn answer_alone<B: Body>(app_state: &AppState, request: Request<B>) -> Answer {
    let path = request.uri().path();
    match is_route(path) || is_used_by_page(path) {
        true => answer(app_state, request).await,
        false => refusal(HttpError::NotFound),
    }
}
