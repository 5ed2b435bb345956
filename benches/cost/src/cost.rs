use std::ffi::OsStr;

use crate::Result;
use crate::counts::Counts;
use crate::served::Served;

/// Requests of a short run and of a long one. What they differ in are requests alone: starting and stopping cancel out.
const SHORT: u32 = 300;
const LONG: u32 = 1300;

/// What a small request in JSON costs a server.
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
        let mut least = Self::of(headers, command)?;
        for _ in 1..times {
            let cost = Self::of(headers, command)?;
            least.instructions = least.instructions.min(cost.instructions);
            least.allocations = least.allocations.min(cost.allocations);
        }
        Ok(least)
    }

    fn of(headers: &[String], command: &[impl AsRef<OsStr>]) -> Result<Self> {
        let (short, long) = (run(headers, command, SHORT)?, run(headers, command, LONG)?);
        let each = |short: u64, long: u64| (long as f64 - short as f64) / f64::from(LONG - SHORT);
        Ok(Self {
            instructions: each(short.instructions, long.instructions),
            allocations: each(short.allocations, long.allocations),
        })
    }
}

fn run(headers: &[String], command: &[impl AsRef<OsStr>], requests: u32) -> Result<Counts> {
    let served = Served::start(command)?;
    served.ask(headers, requests)?;
    served.stop()
}
