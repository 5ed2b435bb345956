use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

/// The bytes of lines that wait to be written. Further lines are dropped and counted.
const MAX_QUEUED_BYTES: usize = 1 << 20;

/// How long to wait before an output is tried again that does not block and has no room.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// The lines that wait to be written.
///
/// A thread that logs only waits for the lock of the queue, which nobody holds while writing: an
/// output that blocks, such as a pipe that is not read, blocks the writer thread alone.
#[derive(Debug)]
pub(super) struct LogQueue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    lines: VecDeque<Line>,
    bytes: usize,
    /// Whether the writer thread is writing a line.
    writing: bool,
    /// The lines that were dropped and are not yet reported.
    dropped: u64,
    /// Where further lines go; standard error if it is `None`.
    file: Option<Arc<File>>,
}

#[derive(Debug)]
struct Line {
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

    /// Further lines go to the file.
    #[cfg(feature = "embedded")]
    pub(super) fn redirect(&self, file: File) {
        self.state().file = Some(Arc::new(file));
    }

    /// Adds a line for the log, unless too many wait.
    pub(super) fn push(&self, line: &[u8]) {
        let mut state = self.state();
        let file = state.file.clone();
        self.add(&mut state, line, file);
    }

    /// Adds a line for standard error, wherever the log goes.
    pub(super) fn push_to_stderr(&self, line: &[u8]) {
        self.add(&mut self.state(), line, None);
    }

    fn add(&self, state: &mut State, line: &[u8], file: Option<Arc<File>>) {
        let bytes = state.bytes + line.len();
        // A single line of any length is written.
        if bytes > MAX_QUEUED_BYTES && !state.lines.is_empty() {
            state.dropped += 1;
            return;
        }
        state.bytes = bytes;
        state.lines.push_back(Line {
            bytes: line.to_vec(),
            file,
        });
        self.changed.notify_all();
    }

    /// Waits until everything has been written, for this time at most. Returns whether it has.
    pub(super) fn flush(&self, timeout: Duration) -> bool {
        let busy = |state: &mut State| state.writing || !state.lines.is_empty();
        let waited = self.changed.wait_timeout_while(self.state(), timeout, busy);
        !waited.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }

    /// Writes lines as they are added, for ever. `report` is called with the number of lines that
    /// were dropped as soon as all others have been written.
    pub(super) fn write_lines(&self, mut stderr: impl Write, report: impl Fn(u64)) -> ! {
        loop {
            let line = self.next(&report);
            let written = match &line.file {
                Some(file) => write(&mut &**file, &line.bytes),
                None => write(&mut stderr, &line.bytes),
            };
            // There is no other place for it, as on a disk that is full.
            drop(written);
            self.state().writing = false;
            self.changed.notify_all();
        }
    }

    fn next(&self, report: &impl Fn(u64)) -> Line {
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
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes all bytes, also to an output that another process has made non-blocking.
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

    /// A queue that is written to a pipe, the pipe, and what is reported.
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
    fn threads_that_log_do_not_wait_for_an_output_that_blocks() {
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
        // What waits is bounded.
        assert!(queue.state().bytes <= MAX_QUEUED_BYTES);
        // The output is read again: everything that was not dropped arrives, and the number of
        // lines that were.
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

    #[cfg(feature = "embedded")]
    #[test]
    fn lines_go_where_the_log_went_when_they_were_added() {
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
