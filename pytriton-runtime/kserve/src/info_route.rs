//! The table of the routes that describe the server and its models.
//!
//! A row is the documentation and name of a route, whether it is about the `server` or a `model`,
//! its path, its group, and its operation in the OpenAPI document: ID, summary and response. A
//! server derives its routes from the table, and [`openapi`](crate::openapi) its document.

use crate::Group;

/// The response of a route to a successful request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InfoResponse {
    /// Only a status. The text describes it.
    Status(&'static str),
    /// JSON: its description, and the name of a shared schema.
    Shared(&'static str, &'static str),
    /// A JSON object without a schema: its description, and that of its members.
    Object(&'static str, &'static str),
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct InfoRow {
    paths: &'static [&'static str],
    group: Group,
    /// The path, or its end after the path of a model.
    pub(crate) path: &'static str,
    pub(crate) is_of_model: bool,
    /// The ID of the operation, or its end after the ID of a model.
    pub(crate) id: &'static str,
    /// The summary, or its start before the name of a model.
    pub(crate) summary: &'static str,
    pub(crate) response: InfoResponse,
}

macro_rules! info_routes {
    ($(
        $(#[$doc:meta])*
        $route:ident: $subject:ident $path:literal, $group:ident, $id:literal, $summary:literal
            => $response:ident($($text:literal),+);
    )*) => {
        /// A route that describes the server or a model: a `GET` request without a body.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum InfoRoute {
            $($(#[$doc])* $route,)*
        }

        impl InfoRoute {
            /// All routes. Literal paths come before those with parameters.
            pub const ALL: &[Self] = &[$(Self::$route),*];

            const ROWS: &[InfoRow] = &[$(InfoRow {
                paths: info_routes!(@paths $subject $path),
                group: Group::$group,
                path: $path,
                is_of_model: info_routes!(@is_of_model $subject),
                id: $id,
                summary: $summary,
                response: InfoResponse::$response($($text),+),
            }),*];
        }
    };
    (@paths server $path:literal) => { &[$path] };
    (@paths model $path:literal) => {
        &[
            concat!("/v2/models/{model}", $path),
            concat!("/v2/models/{model}/versions/{version}", $path),
        ]
    };
    (@is_of_model server) => { false };
    (@is_of_model model) => { true };
}

info_routes! {
    /// The metadata of the server.
    ServerMetadata: server "/v2", Metadata, "server_metadata", "Server metadata"
        => Shared("The name, the version and the extensions of the server.", "ServerMetadata");
    /// Whether the server is live.
    ServerLive: server "/v2/health/live", Health, "server_live", "Liveness of the server"
        => Status("It is.");
    /// Whether all models are ready.
    ServerReady: server "/v2/health/ready", Health, "server_ready", "Readiness of all models"
        => Status("They are.");
    /// The statistics of all models.
    ServerStatistics: server "/v2/models/stats", Statistics, "server_stats", "Statistics of all models"
        => Shared("The statistics of each model.", "Statistics");
    /// The metadata of a model.
    ModelMetadata: model "", Metadata, "metadata", "Inputs and outputs of"
        => Shared("Its inputs and outputs.", "ModelMetadata");
    /// Whether a model is ready.
    ModelReady: model "/ready", Health, "ready", "Readiness of"
        => Status("It is.");
    /// The configuration of a model.
    ModelConfig: model "/config", ModelConfig, "config", "Configuration of"
        => Object("Its configuration.", "`ModelConfig` of Triton's `model_config.proto`, as JSON.");
    /// The statistics of a model.
    ModelStatistics: model "/stats", Statistics, "stats", "Statistics of"
        => Shared("Its statistics.", "Statistics");
}

impl InfoRoute {
    /// The paths of the route. Parameters are in braces.
    pub const fn paths(self) -> &'static [&'static str] {
        self.row().paths
    }

    /// The group of the route.
    pub const fn group(self) -> Group {
        self.row().group
    }

    pub(crate) const fn row(self) -> &'static InfoRow {
        &Self::ROWS[self as usize]
    }
}
