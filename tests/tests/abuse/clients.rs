use pytriton_tests::{Result, Server};

use crate::ledger::{Book, Clients, Grpc, Habit, MODELS};
use crate::random::Random;

/// The requests over HTTP, one client each, and over gRPC.
const HTTP: [Habit; 6] = [
    Habit::All,
    Habit::Some,
    Habit::Refused,
    Habit::Large,
    Habit::All,
    Habit::All,
];
const GRPC: &str = "all some all";

/// Well-behaved clients; each request has a unique expected response.
pub(crate) struct Ordinary {
    http: Clients,
    grpc: Grpc,
}

impl Ordinary {
    /// Starts the clients.
    pub(crate) fn start(server: &Server, random: &mut Random) -> Result<Self> {
        Ok(Self {
            grpc: Grpc::start(server, "none", GRPC, random)?,
            http: Clients::start(&server.banner().http, &MODELS, &HTTP, None, random)?,
        })
    }

    /// Stops the clients, and returns the results of all requests.
    pub(crate) fn stop(mut self) -> Result<Book> {
        let mut book = self.http.stop();
        book.add(self.grpc.end()?);
        Ok(book)
    }
}
