use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::fault::Fault;
use crate::ledger::{Book, Span};

/// In which everything is as before after a fault: the second that it may take, and another for a machine that is busy.
pub(super) const RECOVERY: Duration = Duration::from_secs(2);

/// When faults happened, and how long they lasted.
#[derive(Debug, Default)]
pub(super) struct Record {
    spans: Vec<(Instant, Instant, Fault)>,
}

impl Record {
    /// Notes a fault that is over now.
    pub(super) fn note(&mut self, fault: Fault, begun: Instant) {
        self.spans.push((begun, Instant::now(), fault));
    }

    /// How often each has happened.
    pub(super) fn counts(&self) -> BTreeMap<Fault, usize> {
        let mut counts = BTreeMap::new();
        for (.., fault) in &self.spans {
            *counts.entry(*fault).or_default() += 1;
        }
        counts
    }

    /// Nothing failed, nothing was cut off and nothing took long but by a fault that can do that.
    pub(super) fn check(&self, book: &Book) {
        book.check();
        let mut failed = book.failed_at.iter();
        let failed = failed.find(|at| !self.excuses(Fault::fails, **at, **at));
        assert!(failed.is_none(), "{:?} without a fault", book.failed);
        let without = |spans: &[Span], kind: fn(Fault) -> bool| {
            let mut spans = spans.iter();
            let span = spans.find(|span| !self.excuses(kind, span.begun, span.ended));
            span.map(|span| format!("{span:?}"))
        };
        let cut = without(&book.cut, Fault::is_deadly);
        assert_eq!(cut, None, "lost without an error");
        let late = without(&book.late, Fault::delays);
        assert_eq!(late, None, "later than an error may come");
    }

    /// Whether something that was under way then may have suffered from a fault of some kind.
    fn excuses(&self, kind: impl Fn(Fault) -> bool, begun: Instant, ended: Instant) -> bool {
        let mut spans = self.spans.iter().filter(|(.., fault)| kind(*fault));
        spans.any(|(from, to, _)| ended >= *from && begun <= *to + RECOVERY)
    }
}
