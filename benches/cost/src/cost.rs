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
        let first = Self::of(headers, command)?;
        (1..times).try_fold(first, |least, _| {
            Ok(least.least(Self::of(headers, command)?))
        })
    }

    /// Measures the cost of a request for a client. The command must accept `--requests` with the
    /// number of requests.
    ///
    /// # Errors
    ///
    /// Returns a [`CostError`](crate::CostError) if valgrind is missing or the client fails.
    pub fn of_client(times: u32, command: &[impl AsRef<OsStr>]) -> Result<Self> {
        let count = || -> Result<Self> {
            Ok(Self::between(
                asking::run(command, SHORT_RUN_REQUESTS)?,
                asking::run(command, LONG_RUN_REQUESTS)?,
            ))
        };
        let first = count()?;
        (1..times).try_fold(first, |least, _| Ok(least.least(count()?)))
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
