use std::ffi::OsStr;

use crate::counts::Counts;
use crate::served::Served;
use crate::{Result, asking};

/// Requests of a short run and of a long one. What they differ in are requests alone: starting and stopping cancel out.
const SHORT: u32 = 300;
const LONG: u32 = 1300;

/// What a request costs a server or a client.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// Instructions in user space.
    pub instructions: f64,
    /// Calls of the allocator.
    pub allocations: f64,
}

impl Cost {
    /// Counts several times what a request with these headers costs a server, and takes the least of each: how threads happen to take turns only
    /// ever adds to it.
    ///
    /// # Errors
    ///
    /// [`CostError`](crate::CostError) where valgrind is missing or the server does not answer as it should.
    pub fn least_of(times: u32, headers: &[String], command: &[impl AsRef<OsStr>]) -> Result<Self> {
        let first = Self::of(headers, command)?;
        (1..times).try_fold(first, |least, _| {
            Ok(least.least(Self::of(headers, command)?))
        })
    }

    /// The same of what a request costs a client, which takes `--requests` and how many it is to send.
    ///
    /// # Errors
    ///
    /// [`CostError`](crate::CostError) where valgrind is missing or the client fails.
    pub fn of_client(times: u32, command: &[impl AsRef<OsStr>]) -> Result<Self> {
        let count = || -> Result<Self> {
            Ok(Self::between(
                asking::run(command, SHORT)?,
                asking::run(command, LONG)?,
            ))
        };
        let first = count()?;
        (1..times).try_fold(first, |least, _| Ok(least.least(count()?)))
    }

    fn of(headers: &[String], command: &[impl AsRef<OsStr>]) -> Result<Self> {
        let (short, long) = (run(headers, command, SHORT)?, run(headers, command, LONG)?);
        Ok(Self::between(short, long))
    }

    fn between(short: Counts, long: Counts) -> Self {
        let each = |short: u64, long: u64| (long as f64 - short as f64) / f64::from(LONG - SHORT);
        Self {
            instructions: each(short.instructions, long.instructions),
            allocations: each(short.allocations, long.allocations),
        }
    }

    /// What is the least of each.
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
