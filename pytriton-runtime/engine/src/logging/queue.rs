use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::mem;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

/// The maximum number of queued bytes. Further lines are dropped and counted.
const MAX_QUEUED_BYTES: usize = 1 << 20;

/// The delay before a non-blocking output without space is tried again.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// The queue of lines to write.
///
/// A thread that logs waits only for the lock of the queue, which is never held while writing. An
/// output that blocks, such as a pipe that is not read, blocks only the writer thread.
#[derive(Debug)]
pub(super) struct LogQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    lines: VecDeque<QueuedLine>,
    bytes: usize,
    /// Whether the writer thread is writing a line.
    writing: bool,
    /// The number of dropped lines that are not reported yet.
    dropped: u64,
    /// The destination of further lines; standard error if `None`.
    file: Option<Arc<File>>,
}

#[derive(Debug)]
struct QueuedLine {
    bytes: Vec<u8>,
    file: Option<Arc<File>>,
}

impl LogQueue {
    pub(super) const fn new() -> Self {
        Self {
            state: Mutex::new(State {
                lines: VecDeque::new(),
                bytes: 0,
                writing: false,
                dropped: 0,
                file: None,
            }),
            changed: Condvar::new(),
        }
    }

    /// Redirects further lines to a file.
    pub(super) fn redirect(&self, file: File) {
        self.state().file = Some(Arc::new(file));
    }

    /// Adds a line for the log, unless the queue is full.
    pub(super) fn push(&self, line: &[u8]) {
        let mut state = self.state();
        let file = state.file.clone();
        self.add(&mut state, line, file);
    }

    /// Adds a line for standard error, regardless of the log's destination.
    pub(super) fn push_to_stderr(&self, line: &[u8]) {
        self.add(&mut self.state(), line, None);
    }

    fn add(&self, state: &mut State, line: &[u8], file: Option<Arc<File>>) {
        let bytes = state.bytes + line.len();
        // A single line is written regardless of its length.
        if bytes > MAX_QUEUED_BYTES && !state.lines.is_empty() {
            state.dropped += 1;
            return;
        }
        state.bytes = bytes;
        state.lines.push_back(QueuedLine {
            bytes: line.to_vec(),
            file,
        });
        self.changed.notify_all();
    }

    /// Waits until everything has been written, at most for `timeout`. Returns whether it has.
    pub(super) fn flush(&self, timeout: Duration) -> bool {
        let busy = |state: &mut State| state.writing || !state.lines.is_empty();
        let mut state = self.state();
        let waited = self.changed.wait_while_for(&mut state, busy, timeout);
        !waited.timed_out()
    }

    /// Writes queued lines forever. `report` is called with the number of dropped lines as soon as
    /// the queue is empty.
    pub(super) fn write_lines(&self, mut stderr: impl Write, report: impl Fn(u64)) -> ! {
        loop {
            let line = self.next(&report);
            let written = match &line.file {
                Some(file) => write(&mut &**file, &line.bytes),
                None => write(&mut stderr, &line.bytes),
            };
            // There is no other place to report the error, for example on a full disk.
            drop(written);
            self.state().writing = false;
            self.changed.notify_all();
        }
    }

    fn next(&self, report: &impl Fn(u64)) -> QueuedLine {
        let mut state = self.state();
        loop {
            if let Some(line) = state.lines.pop_front() {
                state.bytes -= line.bytes.len();
                state.writing = true;
                return line;
            }
            if state.dropped > 0 {
                let dropped = mem::take(&mut state.dropped);
                drop(state);
                // It adds a line.
                report(dropped);
                state = self.state();
                continue;
            }
            self.changed.wait(&mut state);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

/// Writes all bytes, even to an output that another process has made non-blocking.
fn write(output: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match output.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => sleep(RETRY_INTERVAL),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Instant;

    use super::*;

    const DEADLINE: Duration = Duration::from_secs(10);

    /// Returns a queue that is written to a pipe, the pipe, and the reports.
    fn piped() -> (&'static LogQueue, io::PipeReader, mpsc::Receiver<u64>) {
        let queue: &LogQueue = Box::leak(Box::new(LogQueue::new()));
        let (reader, writer) = io::pipe().unwrap();
        let (reports, reported) = mpsc::channel();
        thread::spawn(move || {
            queue.write_lines(writer, |dropped| {
                let _ = reports.send(dropped);
                queue.push(b"report\n");
            })
        });
        (queue, reader, reported)
    }

    #[test]
    fn blocked_output_does_not_block_logging_threads() {
        let (queue, reader, reported) = piped();
        let line = |number: usize| format!("{number} {}\n", "x".repeat(1000));
        let count = 4 * (MAX_QUEUED_BYTES / 1000);
        let begun = Instant::now();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    (0..count / 4).for_each(|number| queue.push(line(number).as_bytes()))
                });
            }
        });
        assert!(begun.elapsed() < DEADLINE);
        assert!(!queue.flush(Duration::from_millis(50)));
        // The queue is bounded.
        assert!(queue.state().bytes <= MAX_QUEUED_BYTES);
        // Once the output is read again, all lines that were not dropped arrive, and the number of
        // dropped ones.
        let (mut written, mut lines) = (0, BufReader::new(reader).lines());
        let mut next = || lines.next().unwrap().unwrap();
        while next() != "report" {
            written += 1;
        }
        let dropped = reported.recv_timeout(DEADLINE).unwrap();
        assert!(dropped > 0 && written > 1000, "{dropped} {written}");
        assert_eq!(written + dropped, count as u64);
        assert!(queue.flush(DEADLINE));
        queue.push(b"next\n");
        assert_eq!(next(), "next");
    }

    #[test]
    fn flush_waits_until_the_last_line_is_written() {
        let (queue, mut reader, _reported) = piped();
        assert!(queue.flush(DEADLINE));
        for count in [1, 2, 100] {
            (0..count).for_each(|_| queue.push(b"line\n"));
            assert!(queue.flush(DEADLINE));
            let mut bytes = vec![0; 5 * count];
            reader.read_exact(&mut bytes).unwrap();
            assert_eq!(bytes, b"line\n".repeat(count));
        }
        // A line that is longer than the queue.
        let long = vec![b'x'; 2 * MAX_QUEUED_BYTES];
        queue.push(&long);
        let mut bytes = vec![0; long.len()];
        reader.read_exact(&mut bytes).unwrap();
        assert_eq!(bytes, long);
    }

    #[test]
    fn lines_are_written_to_the_output_at_the_time_they_were_added() {
        let (queue, mut reader, _reported) = piped();
        let file = tempfile::NamedTempFile::new().unwrap();
        queue.push(b"first\n");
        queue.redirect(file.reopen().unwrap());
        queue.push(b"second\n");
        queue.push_to_stderr(b"error\n");
        assert!(queue.flush(DEADLINE));
        let mut bytes = [0; 12];
        reader.read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"first\nerror\n");
        assert_eq!(std::fs::read(file.path()).unwrap(), b"second\n");
    }
}
