use std::ffi::OsStr;

use crate::counts::Counts;
use crate::served::Served;
use crate::{Result, asking};

/// The numbers of requests of a short and of a long run. The costs of starting and stopping cancel
/// out.
const SHORT_RUN_REQUESTS: u32 = 300;
const LONG_RUN_REQUESTS: u32 = 1300;

/// The cost of a request for a server or a client.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// User-space instructions.
    pub instructions: f64,
    /// Calls of the allocator.
    pub allocations: f64,
}

impl Cost {
    /// Measures the cost of a request with these headers for a server several times, and returns
    /// the minimum of each value. The scheduling of threads can only increase the cost.
    ///
    /// # Errors
    ///
    /// Returns a [`CostError`](crate::CostError) if valgrind is missing or the server does not
    /// respond as expected.
    pub fn least_of(times: u32, headers: &[String], command: &[impl AsRef<OsStr>]) -> Result<Self> {
        Self::least_until(|_| false, times, || Self::of(headers, command))
    }

    /// Measures the cost of a request for a server until the minimum of each value is low enough,
    /// but at most `times` times, and returns it.
    ///
    /// # Errors
    ///
    /// See [`least_of`](Self::least_of).
    pub fn of_server(
        times: u32,
        enough: impl Fn(Self) -> bool,
        command: &[impl AsRef<OsStr>],
    ) -> Result<Self> {
        Self::least_until(enough, times, || Self::of(&[], command))
    }

    /// Like [`of_server`](Self::of_server), but for a client. The command must accept `--requests`
    /// with the number of requests.
    ///
    /// # Errors
    ///
    /// Returns a [`CostError`](crate::CostError) if valgrind is missing or the client fails.
    pub fn of_client(
        times: u32,
        enough: impl Fn(Self) -> bool,
        command: &[impl AsRef<OsStr>],
    ) -> Result<Self> {
        Self::least_until(enough, times, || {
            Ok(Self::between(
                asking::run(command, SHORT_RUN_REQUESTS)?,
                asking::run(command, LONG_RUN_REQUESTS)?,
            ))
        })
    }

    fn least_until(
        enough: impl Fn(Self) -> bool,
        times: u32,
        measure: impl Fn() -> Result<Self>,
    ) -> Result<Self> {
        let mut least = measure()?;
        for _ in 1..times {
            if enough(least) {
                break;
            }
            least = least.least(measure()?);
        }
        Ok(least)
    }

    fn of(headers: &[String], command: &[impl AsRef<OsStr>]) -> Result<Self> {
        let (short, long) = (
            run(headers, command, SHORT_RUN_REQUESTS)?,
            run(headers, command, LONG_RUN_REQUESTS)?,
        );
        Ok(Self::between(short, long))
    }

    fn between(short: Counts, long: Counts) -> Self {
        let each = |short: u64, long: u64| {
            (long as f64 - short as f64) / f64::from(LONG_RUN_REQUESTS - SHORT_RUN_REQUESTS)
        };
        Self {
            instructions: each(short.instructions, long.instructions),
            allocations: each(short.allocations, long.allocations),
        }
    }

    /// Returns the minimum of each value.
    fn least(self, other: Self) -> Self {
        Self {
            instructions: self.instructions.min(other.instructions),
            allocations: self.allocations.min(other.allocations),
        }
    }
}

fn run(headers: &[String], command: &[impl AsRef<OsStr>], requests: u32) -> Result<Counts> {
    let served = Served::start(command)?;
    served.ask(headers, requests)?;
    served.stop()
}
