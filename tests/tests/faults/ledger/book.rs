use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use crate::NOTICED;

/// How many different errors are worth reading.
const KINDS: usize = 12;

/// Errors that follow each other faster are one.
const GRAIN: Duration = Duration::from_millis(20);

/// What became of all requests.
#[derive(Debug, Default)]
pub(crate) struct Book {
    /// Those that were answered as they should be.
    pub right: usize,
    /// Those that were taken back.
    pub cancelled: usize,
    /// Answers that are none, or another request's.
    pub wrong: Vec<String>,
    /// Errors of requests that should have none, and how many of each kind.
    pub failed: BTreeMap<String, usize>,
    /// When there were any, not more exactly than [`GRAIN`].
    pub failed_at: Vec<Instant>,
    /// Connections that could not be made, or were closed before an answer.
    pub cut: Vec<Span>,
    /// Requests that were given up.
    pub hung: Vec<Span>,
    /// Those that took longer than even an error may take.
    pub late: Vec<Span>,
}

/// When a request was under way.
#[derive(Clone)]
pub(crate) struct Span {
    /// Its beginning.
    pub begun: Instant,
    /// Its end.
    pub ended: Instant,
    /// What became of it.
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
    /// Takes over what another has.
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

    /// Notes an error.
    pub(crate) fn fail(&mut self, kind: String) {
        let known = self.failed.len() < KINDS || self.failed.contains_key(&kind);
        let kind = if known { kind } else { "others".to_owned() };
        *self.failed.entry(kind).or_default() += 1;
        let last = self.failed_at.last();
        if last.is_none_or(|last| last.elapsed() > GRAIN) {
            self.failed_at.push(Instant::now());
        }
    }

    /// Notes a connection that was closed.
    pub(crate) fn cut(&mut self, begun: Instant, error: String) {
        self.cut.push(Span::new(begun, error));
    }

    /// Notes a request that was given up.
    pub(crate) fn hung(&mut self, begun: Instant, error: String) {
        self.hung.push(Span::new(begun, error));
    }

    /// Notes how long a request took, where it was long.
    pub(crate) fn took(&mut self, begun: Instant) {
        let took = begun.elapsed();
        if took > NOTICED {
            self.late.push(Span::new(begun, "the end".to_owned()));
        }
    }

    /// How many errors there were.
    pub(crate) fn failures(&self) -> usize {
        self.failed.values().sum()
    }

    /// Nothing was wrong, nothing hung.
    pub(crate) fn check(&self) {
        let first = self.wrong.first();
        assert!(first.is_none(), "{} wrong: {first:?}", self.wrong.len());
        let first = self.hung.first();
        assert!(first.is_none(), "{} hung: {first:?}", self.hung.len());
    }

    /// Everything was answered as it should be.
    pub(crate) fn check_all(&self) {
        self.check();
        assert!(self.failed.is_empty(), "{:?}", self.failed);
        assert!(self.cut.is_empty(), "{:?}", self.cut);
        assert!(self.right > 0);
    }
}
