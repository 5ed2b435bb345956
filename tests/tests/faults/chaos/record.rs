use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::fault::Fault;
use crate::ledger::{Book, Span};

/// The time limit for the recovery after a fault: one second, and another one on a busy machine.
pub(super) const RECOVERY: Duration = Duration::from_secs(2);

/// The times and durations of faults.
#[derive(Debug, Default)]
pub(super) struct Record {
    spans: Vec<(Instant, Instant, Fault)>,
}

impl Record {
    /// Records a fault that is over.
    pub(super) fn note(&mut self, fault: Fault, begun: Instant) {
        self.spans.push((begun, Instant::now(), fault));
    }

    /// Returns the number of faults of each kind.
    pub(super) fn counts(&self) -> BTreeMap<Fault, usize> {
        let mut counts = BTreeMap::new();
        for (.., fault) in &self.spans {
            *counts.entry(*fault).or_default() += 1;
        }
        counts
    }

    /// Checks that every failure, disconnection and delay has a fault that can cause it.
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
        let mut late = book.late.clone();
        late.retain(|span| span.ended - span.begun > RECOVERY);
        let late = without(&late, Fault::delays);
        assert_eq!(late, None, "later than an error may come");
    }

    /// Returns whether a fault of this kind may have affected a request at that time.
    fn excuses(&self, kind: impl Fn(Fault) -> bool, begun: Instant, ended: Instant) -> bool {
        let mut spans = self.spans.iter().filter(|(.., fault)| kind(*fault));
        spans.any(|(from, to, _)| ended >= *from && begun <= *to + RECOVERY)
    }
}
