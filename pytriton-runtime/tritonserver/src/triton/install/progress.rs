use std::io::{self, IsTerminal, Write};

/// A progress line on standard error; silent unless it is a terminal.
#[derive(Debug)]
pub(super) struct Progress {
    total: u64,
    done: u64,
    shown: Option<u64>,
    watched: bool,
}

impl Progress {
    pub(super) fn new(total: u64) -> Self {
        Self {
            total: total.max(1),
            done: 0,
            shown: None,
            watched: io::stderr().is_terminal(),
        }
    }

    /// Adds `bytes` to the progress.
    pub(super) fn advance(&mut self, bytes: u64) {
        self.done = self.done.saturating_add(bytes).min(self.total);
        let percent = self.done.saturating_mul(100) / self.total;
        if self.watched && self.shown != Some(percent) {
            self.shown = Some(percent);
            // A failure to show progress must not stop the installation.
            let _ = write!(
                io::stderr().lock(),
                "\r{}",
                line(percent, self.done, self.total)
            );
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = writeln!(io::stderr().lock());
        }
    }
}

fn line(percent: u64, done: u64, total: u64) -> String {
    let filled = usize::try_from(percent / 4).unwrap_or_default().min(25);
    let megabytes = |bytes: u64| bytes / 1_000_000;
    format!(
        "unpacking [{}{}] {percent:3} % ({} of {} MB)",
        "#".repeat(filled),
        " ".repeat(25 - filled),
        megabytes(done),
        megabytes(total)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_displayed() {
        let table = [
            (
                0,
                0,
                143,
                "unpacking [                         ]   0 % (0 of 143 MB)",
            ),
            (
                50,
                71,
                143,
                "unpacking [############             ]  50 % (71 of 143 MB)",
            ),
            (
                100,
                143,
                143,
                "unpacking [#########################] 100 % (143 of 143 MB)",
            ),
        ];
        for (percent, done, total, expected) in table {
            assert_eq!(line(percent, done * 1_000_000, total * 1_000_000), expected);
        }
    }
}
