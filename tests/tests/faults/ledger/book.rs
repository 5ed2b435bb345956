use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use crate::NOTICED;

/// The maximum number of different errors that are kept.
const KINDS: usize = 12;

/// Errors closer together than this count as one.
const GRAIN: Duration = Duration::from_millis(20);

/// The results of all requests.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// The number of correct responses.
    pub right: usize,
    /// The number of cancelled requests.
    pub cancelled: usize,
    /// Invalid responses, and responses of other requests.
    pub wrong: Vec<String>,
    /// Unexpected errors and their counts.
    pub failed: BTreeMap<String, usize>,
    /// The times of errors, with the resolution of [`GRAIN`].
    pub failed_at: Vec<Instant>,
    /// Connections that failed or were closed before a response.
    pub cut: Vec<Span>,
    /// Requests that timed out.
    pub hung: Vec<Span>,
    /// Requests that exceeded the time limit of an error.
    pub late: Vec<Span>,
}

/// The time of a request.
#[derive(Clone)]
pub(crate) struct Span {
    /// The start.
    pub begun: Instant,
    /// The end.
    pub ended: Instant,
    /// The result.
    pub what: String,
}

impl fmt::Debug for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let took = self.ended - self.begun;
        write!(formatter, "{} after {took:?}", self.what)
    }
}

impl Span {
    fn new(begun: Instant, what: String) -> Self {
        Self {
            begun,
            ended: Instant::now(),
            what,
        }
    }
}

impl Book {
    /// Adds the results of another book.
    pub(crate) fn add(&mut self, other: Self) {
        self.right += other.right;
        self.cancelled += other.cancelled;
        self.wrong.extend(other.wrong);
        for (kind, count) in other.failed {
            *self.failed.entry(kind).or_default() += count;
        }
        self.failed_at.extend(other.failed_at);
        self.cut.extend(other.cut);
        self.hung.extend(other.hung);
        self.late.extend(other.late);
    }

    /// Records an error.
    pub(crate) fn fail(&mut self, kind: String) {
        let known = self.failed.len() < KINDS || self.failed.contains_key(&kind);
        let kind = if known { kind } else { "others".to_owned() };
        *self.failed.entry(kind).or_default() += 1;
        let last = self.failed_at.last();
        if last.is_none_or(|last| last.elapsed() > GRAIN) {
            self.failed_at.push(Instant::now());
        }
    }

    /// Records a closed connection.
    pub(crate) fn cut(&mut self, begun: Instant, error: String) {
        self.cut.push(Span::new(begun, error));
    }

    /// Records a timeout.
    pub(crate) fn hung(&mut self, begun: Instant, error: String) {
        self.hung.push(Span::new(begun, error));
    }

    /// Records the duration of a request if it exceeds the limit.
    pub(crate) fn took(&mut self, begun: Instant) {
        let took = begun.elapsed();
        if took > NOTICED {
            self.late.push(Span::new(begun, "the end".to_owned()));
        }
    }

    /// Returns the number of errors.
    pub(crate) fn failures(&self) -> usize {
        self.failed.values().sum()
    }

    /// Checks that no response was wrong and no request timed out.
    pub(crate) fn check(&self) {
        let first = self.wrong.first();
        assert!(first.is_none(), "{} wrong: {first:?}", self.wrong.len());
        let first = self.hung.first();
        assert!(first.is_none(), "{} hung: {first:?}", self.hung.len());
    }

    /// Checks that all responses were correct.
    pub(crate) fn check_all(&self) {
        self.check();
        assert!(self.failed.is_empty(), "{:?}", self.failed);
        assert!(self.cut.is_empty(), "{:?}", self.cut);
        assert!(self.right > 0);
    }
}
