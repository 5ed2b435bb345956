use std::io;

use crate::scene::Scene;
use crate::{grpc, http1, metrics, readers};

/// What a client can do to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Abuse {
    /// Heads that come byte by byte.
    SlowHeads,
    /// Bodies that come byte by byte.
    SlowBodies,
    /// Halves of large bodies.
    Halves,
    /// Small bodies that inflate to nearly what is allowed.
    Bombs,
    /// A small body that inflates to more than is allowed.
    Excess,
    /// Requests whose clients reset the connection.
    Resets,
    /// Large answers that nobody reads.
    Unread,
    /// A request of very many inputs.
    Inputs,
    /// A request of very many parameters.
    Parameters,
    /// Arrays in each other.
    Nested,
    /// More connections than there are places.
    Connections,
    /// What is no HTTP.
    Noise,
    /// Large requests in JSON, all of which is right.
    Heavy,
    /// Messages over gRPC that come byte by byte.
    GrpcSlowBodies,
    /// Small messages over gRPC that inflate to nearly what is allowed.
    GrpcBombs,
    /// Answers over gRPC that nobody makes room for.
    GrpcUnread,
    /// A message over gRPC of very many inputs.
    GrpcInputs,
    /// Streams over HTTP/2 that are reset as soon as they are opened.
    GrpcResets,
    /// Frames of HTTP/2 that ask for an answer each.
    GrpcPings,
    /// Headers over HTTP/2 without an end.
    GrpcHeaders,
    /// Connections over HTTP/2 that are idle after a request.
    GrpcIdle,
    /// Requests over gRPC whose clients reset the connection.
    GrpcLeave,
    /// Large answers that are read slowly, all the time.
    SlowReaders,
    /// The same over gRPC.
    GrpcSlowReaders,
    /// Streams of events that nobody reads.
    Events,
    /// The same over gRPC.
    GrpcStreams,
    /// Clients that leave while their answers wait for an earlier one.
    HeldBack,
    /// Metrics that are asked for again and again.
    Scrapes,
    /// Metrics that nobody reads.
    UnreadScrapes,
}

/// All of it.
pub(crate) const ALL: [Abuse; 29] = [
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
    /// Does it; what was heard of the server, where anything was.
    ///
    /// # Errors
    ///
    /// Of the connection, which the server may end.
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
