use std::io;

use crate::scene::Scene;
use crate::{grpc, http1, metrics, readers};

/// A kind of misbehaviour of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Abuse {
    /// Request heads that arrive byte by byte.
    SlowHeads,
    /// Bodies that arrive byte by byte.
    SlowBodies,
    /// Incomplete large bodies.
    Halves,
    /// Small bodies that inflate to just below the limit.
    Bombs,
    /// A small body that inflates to more than the limit.
    Excess,
    /// Requests whose clients reset the connection.
    Resets,
    /// Large responses that are not read.
    Unread,
    /// A request with very many inputs.
    Inputs,
    /// A request with very many parameters.
    Parameters,
    /// Nested arrays.
    Nested,
    /// More connections than the limit.
    Connections,
    /// Data that is not HTTP.
    Noise,
    /// Large valid requests in JSON.
    Heavy,
    /// gRPC messages that arrive byte by byte.
    GrpcSlowBodies,
    /// Small gRPC messages that inflate to just below the limit.
    GrpcBombs,
    /// Small gRPC messages of other methods that inflate to more than these accept, or to just
    /// below.
    GrpcMethodBombs,
    /// gRPC responses without flow-control window.
    GrpcUnread,
    /// A gRPC message with very many inputs.
    GrpcInputs,
    /// HTTP/2 streams that are reset as soon as they are opened.
    GrpcResets,
    /// HTTP/2 frames that each require a response.
    GrpcPings,
    /// HTTP/2 headers without an end.
    GrpcHeaders,
    /// HTTP/2 connections that are idle after a request.
    GrpcIdle,
    /// gRPC requests whose clients reset the connection.
    GrpcLeave,
    /// Large responses that are read slowly without a pause.
    SlowReaders,
    /// The same over gRPC.
    GrpcSlowReaders,
    /// Event streams that are not read.
    Events,
    /// The same over gRPC.
    GrpcStreams,
    /// Clients that disconnect while their responses wait for an earlier one.
    HeldBack,
    /// Frequent requests for metrics.
    Scrapes,
    /// Metrics that are not read.
    UnreadScrapes,
}

/// All kinds.
pub(crate) const ALL: [Abuse; 30] = [
    Abuse::SlowHeads,
    Abuse::SlowBodies,
    Abuse::Halves,
    Abuse::Bombs,
    Abuse::Excess,
    Abuse::Resets,
    Abuse::Unread,
    Abuse::Inputs,
    Abuse::Parameters,
    Abuse::Nested,
    Abuse::Connections,
    Abuse::Noise,
    Abuse::Heavy,
    Abuse::GrpcSlowBodies,
    Abuse::GrpcBombs,
    Abuse::GrpcMethodBombs,
    Abuse::GrpcUnread,
    Abuse::GrpcInputs,
    Abuse::GrpcResets,
    Abuse::GrpcPings,
    Abuse::GrpcHeaders,
    Abuse::GrpcIdle,
    Abuse::GrpcLeave,
    Abuse::SlowReaders,
    Abuse::GrpcSlowReaders,
    Abuse::Events,
    Abuse::GrpcStreams,
    Abuse::HeldBack,
    Abuse::Scrapes,
    Abuse::UnreadScrapes,
];

impl Abuse {
    /// Runs it, and returns the responses of the server, if any.
    ///
    /// # Errors
    ///
    /// Returns errors of the connection, which the server may close.
    pub(crate) fn happen(self, scene: &mut Scene) -> io::Result<Vec<String>> {
        match self {
            Self::SlowHeads => http1::slow_heads(scene),
            Self::SlowBodies => http1::slow_bodies(scene),
            Self::Halves => http1::halves(scene),
            Self::Bombs => http1::bombs(scene),
            Self::Excess => http1::excess(scene),
            Self::Resets => http1::resets(scene),
            Self::Unread => http1::unread(scene),
            Self::Inputs => http1::inputs(scene),
            Self::Parameters => http1::parameters(scene),
            Self::Nested => http1::nested(scene),
            Self::Connections => http1::connections(scene),
            Self::Noise => http1::noise(scene),
            Self::Heavy => http1::heavy(scene),
            Self::GrpcSlowBodies => grpc::slow_bodies(scene),
            Self::GrpcBombs => grpc::bombs(scene),
            Self::GrpcMethodBombs => grpc::method_bombs(scene),
            Self::GrpcUnread => grpc::unread(scene),
            Self::GrpcInputs => grpc::inputs(scene),
            Self::GrpcResets => grpc::resets(scene),
            Self::GrpcPings => grpc::pings(scene),
            Self::GrpcHeaders => grpc::headers(scene),
            Self::GrpcIdle => grpc::idle(scene),
            Self::GrpcLeave => grpc::leave(scene),
            Self::SlowReaders => readers::slow(scene),
            Self::GrpcSlowReaders => readers::grpc_slow(scene),
            Self::Events => readers::events(scene),
            Self::GrpcStreams => readers::grpc_streams(scene),
            Self::HeldBack => readers::held_back(scene),
            Self::Scrapes => metrics::scrapes(scene),
            Self::UnreadScrapes => metrics::unread(scene),
        }
    }
}
