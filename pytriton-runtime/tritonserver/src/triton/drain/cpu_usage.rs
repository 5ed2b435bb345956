use std::collections::VecDeque;
use std::fs;
use std::time::{Duration, Instant};

use crate::triton::process::ProcessStat;

/// The period over which a process must have been idle.
const IDLE_PERIOD: Duration = Duration::from_millis(300);

/// The processor time that counts as activity, in ticks of the kernel's clock (1/100 s).
const MIN_ACTIVE_TICKS: u64 = 3;

/// Samples the processor time of a process.
#[derive(Debug)]
pub(super) struct CpuUsage {
    process: u32,
    /// Samples of the recent period: the time, and the ticks used until then.
    samples: VecDeque<(Instant, u64)>,
}

impl CpuUsage {
    pub(super) fn new(process: u32) -> Self {
        Self {
            process,
            samples: VecDeque::new(),
        }
    }

    /// Returns whether the process used almost no processor time for [`IDLE_PERIOD`].
    pub(super) fn is_idle(&mut self, now: Instant) -> bool {
        let Some(ProcessStat { ticks, .. }) = ProcessStat::of(self.process) else {
            return false;
        };
        self.samples.push_back((now, ticks));
        let is_old = |(at, _): &(Instant, u64)| now.saturating_duration_since(*at) >= IDLE_PERIOD;
        // Keeps one sample that is old enough.
        while self.samples.get(1).is_some_and(is_old) {
            self.samples.pop_front();
        }
        let first = self.samples.front().filter(|samples| is_old(samples));
        let idle =
            first.is_some_and(|(_, before)| ticks.saturating_sub(*before) < MIN_ACTIVE_TICKS);
        // On a busy machine, a thread with work to do may be waiting for a processor.
        idle && !self.has_runnable_thread()
    }

    /// Returns whether a thread is running, runnable, or waiting for a disk.
    fn has_runnable_thread(&self) -> bool {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.process));
        let mut tasks = tasks.into_iter().flatten().flatten();
        tasks.any(|task| {
            let stat = ProcessStat::read(&task.path().join("stat"));
            stat.is_some_and(ProcessStat::is_runnable)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread::sleep;

    use super::*;

    #[test]
    fn busy_process_is_not_idle() {
        let rest = Command::new("sleep").arg("60").spawn().unwrap();
        let spin = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        let mut children = [rest, spin];
        let mut efforts = [0, 1].map(|index| CpuUsage::new(children[index].id()));
        let begun = Instant::now();
        let mut idle = [false; 2];
        // The process becomes idle once it has started.
        while !idle[0] && begun.elapsed() < IDLE_PERIOD * 20 {
            idle = [0, 1].map(|index| efforts[index].is_idle(Instant::now()));
            sleep(Duration::from_millis(5));
        }
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!(idle, [true, false]);
        assert!(!efforts[0].is_idle(Instant::now()), "it is gone");
    }
}
