use pytriton_tests::{Result, Server};

use crate::ledger::{Book, Clients, Grpc, Habit, MODELS};
use crate::random::Random;

/// What is asked for over HTTP, a client each, and over gRPC.
const HTTP: [Habit; 6] = [
    Habit::All,
    Habit::Some,
    Habit::Refused,
    Habit::Large,
    Habit::All,
    Habit::All,
];
const GRPC: &str = "all some all";

/// Clients that ask for what they may, each of whose requests has its own answer.
pub(crate) struct Ordinary {
    http: Clients,
    grpc: Grpc,
}

impl Ordinary {
    /// Lets them ask until they are stopped.
    pub(crate) fn start(server: &Server, random: &mut Random) -> Result<Self> {
        Ok(Self {
            grpc: Grpc::start(server, "none", GRPC, random)?,
            http: Clients::start(&server.banner().http, &MODELS, &HTTP, None, random)?,
        })
    }

    /// What has become of all their requests.
    pub(crate) fn stop(mut self) -> Result<Book> {
        let mut book = self.http.stop();
        book.add(self.grpc.end()?);
        Ok(book)
    }
}
