use std::io::{self, Write};
use std::sync::Once;
use std::thread;
use std::time::Duration;

use super::queue::LogQueue;

/// How long the end of the process waits for the last lines.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// The same before a panic that may end the process.
const PANIC_FLUSH_TIMEOUT: Duration = Duration::from_millis(100);

/// The lines of this process.
static QUEUE: LogQueue = LogQueue::new();

/// Where lines go. A thread of its own writes them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sink;

/// Writes lines to the end of a file from now on.
#[cfg(feature = "embedded")]
pub(super) fn open(path: &std::path::Path) -> io::Result<()> {
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?;
    QUEUE.redirect(file);
    Ok(())
}

/// Starts the thread that writes lines, once.
fn start() {
    static START: Once = Once::new();
    START.call_once(|| {
        let writer = || QUEUE.write_lines(io::stderr(), report);
        let thread = thread::Builder::new().name("log".to_owned());
        // Without the thread, which a system at its limit refuses, there is no log.
        drop(thread.spawn(writer));
    });
}

/// Adds a line about lines that were dropped.
fn report(dropped: u64) {
    tracing::warn!(
        lines = dropped,
        "lines of the log were dropped, because its output was blocked"
    );
}

/// Waits until the last lines are written, but not for an output that is blocked.
pub(crate) fn flush() {
    QUEUE.flush(FLUSH_TIMEOUT);
}

/// The same before a panic that may end the process.
pub(super) fn flush_before_panic() {
    QUEUE.flush(PANIC_FLUSH_TIMEOUT);
}

/// Writes a line to standard error, behind what has been logged, but does not wait for an output
/// that is blocked.
pub(crate) fn print_error(line: &str) {
    start();
    QUEUE.push_to_stderr(format!("{line}\n").as_bytes());
    flush();
}

impl Write for Sink {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        start();
        QUEUE.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
