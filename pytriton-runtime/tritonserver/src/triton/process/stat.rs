use std::fs;
use std::path::Path;

/// The state of a process or thread as the kernel reports it in `/proc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::triton) struct ProcessStat {
    state: char,
    /// The process group.
    pub(in crate::triton) group: u32,
    /// The user and system time, in ticks of the kernel's clock (1/100 s).
    pub(in crate::triton) ticks: u64,
}

impl ProcessStat {
    /// Returns the state of a process, or `None` if there is no such process.
    pub(in crate::triton) fn of(process: u32) -> Option<Self> {
        Self::read(format!("/proc/{process}/stat").as_ref())
    }

    /// Reads the file `stat` of a process or thread.
    pub(in crate::triton) fn read(file: &Path) -> Option<Self> {
        Self::parse(&fs::read_to_string(file).ok()?)
    }

    fn parse(stat: &str) -> Option<Self> {
        // The second field is the name, which may contain parentheses and blanks.
        let (_, fields) = stat.rsplit_once(") ")?;
        let mut fields = fields.split_ascii_whitespace();
        let state = fields.next()?.chars().next()?;
        let group = fields.nth(1)?.parse().ok()?;
        // Fields 14 and 15.
        let user: u64 = fields.nth(8)?.parse().ok()?;
        let system: u64 = fields.next()?.parse().ok()?;
        Some(Self {
            state,
            group,
            ticks: user + system,
        })
    }

    /// Returns whether the process has not ended. A zombie has, and waits to be reaped.
    pub(in crate::triton) fn is_running(self) -> bool {
        !matches!(self.state, 'Z' | 'X')
    }

    /// Returns whether a thread is running, runnable, or waiting for a disk.
    pub(in crate::triton) fn is_runnable(self) -> bool {
        matches!(self.state, 'R' | 'D')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stat_fields_are_parsed() {
        const REST: &str = "1 7 42 0 -1 4194560 100 0 0 0 17 25 0 0 20 0 31";
        for (start, state, running, runnable) in [
            ("42 (sh) S", 'S', true, false),
            ("42 (a b) c) S", 'S', true, false),
            ("42 (a) Z (b) R) R", 'R', true, true),
            ("42 (sh) D", 'D', true, true),
            ("42 (sh) Z", 'Z', false, false),
            ("42 (sh) X", 'X', false, false),
        ] {
            let found = ProcessStat::parse(&format!("{start} {REST}")).unwrap();
            let (group, ticks) = (7, 42);
            assert_eq!(
                found,
                ProcessStat {
                    state,
                    group,
                    ticks
                }
            );
            let states = (found.is_running(), found.is_runnable());
            assert_eq!(states, (running, runnable), "{start}");
        }
        for stat in ["", "42 (sh) S 1", "42 (sh) S 1 7 42"] {
            assert_eq!(ProcessStat::parse(stat), None, "{stat}");
        }
    }
}
