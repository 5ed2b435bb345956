use std::collections::VecDeque;
use std::fs;
use std::time::{Duration, Instant};

/// The while in which a process must have done nothing.
const WHILE: Duration = Duration::from_millis(300);

/// From how many ticks of the kernel's clock on, which are hundredths of a second, it has done something.
const SOMETHING: u64 = 3;

/// What a process does with the processors, as often as it is asked.
#[derive(Debug)]
pub(super) struct Effort {
    process: u32,
    /// Moments of the last while, and the ticks that were used up to each.
    past: VecDeque<(Instant, u64)>,
}

impl Effort {
    pub(super) fn new(process: u32) -> Self {
        Self {
            process,
            past: VecDeque::new(),
        }
    }

    /// Whether the process has hardly done anything for a while.
    pub(super) fn is_none(&mut self, now: Instant) -> bool {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process));
        let Some(ticks) = stat.ok().as_deref().and_then(ticks) else {
            return false;
        };
        self.past.push_back((now, ticks));
        let is_old = |(at, _): &(Instant, u64)| now.saturating_duration_since(*at) >= WHILE;
        // One that is old enough stays.
        while self.past.get(1).is_some_and(is_old) {
            self.past.pop_front();
        }
        let first = self.past.front().filter(|past| is_old(past));
        let rested = first.is_some_and(|(_, before)| ticks.saturating_sub(*before) < SOMETHING);
        // Where the processors are busy with others, who has something to do may wait for his turn.
        rested && !self.has_its_turn_to_come()
    }

    /// Whether a thread runs or waits for a processor, or for a disk.
    fn has_its_turn_to_come(&self) -> bool {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.process));
        let mut tasks = tasks.into_iter().flatten().flatten();
        tasks.any(|task| {
            let stat = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
            let state = stat.rsplit(") ").next().unwrap_or_default();
            state.starts_with(['R', 'D'])
        })
    }
}

/// The time in user mode and in the kernel: the 14th and the 15th field. The second, a name, may have spaces.
fn ticks(stat: &str) -> Option<u64> {
    let mut fields = stat.rsplit(") ").next()?.split_ascii_whitespace();
    let user: u64 = fields.nth(11)?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread::sleep;

    use super::*;

    #[test]
    fn reads_the_fields_of_the_kernel() {
        let stat = "42 (a b) c) S 1 42 42 0 -1 4194560 100 0 0 0 17 25 0 0 20 0 31";
        assert_eq!(ticks(stat), Some(42));
        assert_eq!(ticks("42 (a) S 1"), None);
    }

    #[test]
    fn who_computes_is_not_idle() {
        let rest = Command::new("sleep").arg("60").spawn().unwrap();
        let spin = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        let mut children = [rest, spin];
        let mut efforts = [0, 1].map(|index| Effort::new(children[index].id()));
        let begun = Instant::now();
        let mut idle = [false; 2];
        // It rests once it has started.
        while !idle[0] && begun.elapsed() < WHILE * 20 {
            idle = [0, 1].map(|index| efforts[index].is_none(Instant::now()));
            sleep(Duration::from_millis(5));
        }
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!(idle, [true, false]);
        assert!(!efforts[0].is_none(Instant::now()), "it is gone");
    }
}
