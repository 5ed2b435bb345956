use std::collections::VecDeque;
use std::iter;
use std::mem;

use tokio::time::Instant;

use super::message::{Ticket, Waiting};

/// The waiting requests, ordered by priority level. Within a level, delayed requests come last.
///
/// Source: `PriorityQueue` in Triton 2.51.
#[derive(Debug)]
pub(super) struct PriorityQueue {
    levels: Vec<LevelQueue>,
}

/// The requests of one level.
#[derive(Debug, Default)]
struct LevelQueue {
    on_time: VecDeque<Waiting>,
    late: VecDeque<Waiting>,
    /// No request in `on_time` times out before this.
    first_deadline: Option<Instant>,
}

impl PriorityQueue {
    pub(super) fn new(levels: usize) -> Self {
        Self {
            levels: iter::repeat_with(LevelQueue::default)
                .take(levels)
                .collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.levels.iter().map(LevelQueue::len).sum()
    }

    /// Returns the number of waiting requests of a level.
    pub(super) fn len_of(&self, level: usize) -> usize {
        self.levels.get(level).map_or(0, LevelQueue::len)
    }

    /// Adds a request at the end of its level.
    pub(super) fn push(&mut self, waiting: Waiting) {
        if let Some(places) = self.levels.get_mut(waiting.ticket.level) {
            places.expect(waiting.deadline);
            places.on_time.push_back(waiting);
        }
    }

    /// Returns all requests in the order in which they leave.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Waiting> + Clone {
        self.levels.iter().flat_map(LevelQueue::iter)
    }

    /// Removes the first `count` requests.
    pub(super) fn take(&mut self, count: usize) -> impl Iterator<Item = Waiting> {
        let first = self.levels.iter_mut().flat_map(LevelQueue::leaving);
        first.take(count)
    }

    /// Removes a request. Returns its position among all requests.
    pub(super) fn withdraw(&mut self, ticket: Ticket) -> Option<(usize, Waiting)> {
        let before = self.levels.iter().take(ticket.level).map(LevelQueue::len);
        let mut before: usize = before.sum();
        let places = self.levels.get_mut(ticket.level)?;
        for line in [&mut places.on_time, &mut places.late] {
            if let Some(at) = line.iter().position(|waiting| waiting.ticket == ticket) {
                return Some((before + at, line.remove(at)?));
            }
            before += line.len();
        }
        None
    }

    /// Delays the timed-out requests of a level behind the others.
    pub(super) fn delay_timed_out(&mut self, level: usize, now: Instant) {
        if let Some(places) = self.levels.get_mut(level) {
            let late = places.take_timed_out(now);
            places.late.extend(late);
        }
    }

    /// Removes the timed-out requests of a level.
    pub(super) fn take_timed_out(&mut self, level: usize, now: Instant) -> VecDeque<Waiting> {
        let places = self.levels.get_mut(level);
        places
            .map(|places| places.take_timed_out(now))
            .unwrap_or_default()
    }
}

impl LevelQueue {
    fn len(&self) -> usize {
        self.on_time.len() + self.late.len()
    }

    fn iter(&self) -> impl Iterator<Item = &Waiting> + Clone {
        self.on_time.iter().chain(&self.late)
    }

    fn expect(&mut self, deadline: Option<Instant>) {
        if deadline.is_some_and(|deadline| self.first_deadline.is_none_or(|first| deadline < first))
        {
            self.first_deadline = deadline;
        }
    }

    fn take_timed_out(&mut self, now: Instant) -> VecDeque<Waiting> {
        if self.first_deadline.is_none_or(|first| first > now) {
            return VecDeque::new();
        }
        let is_late = |waiting: &Waiting| waiting.deadline.is_some_and(|deadline| deadline <= now);
        let (late, on_time) = mem::take(&mut self.on_time).into_iter().partition(is_late);
        self.on_time = on_time;
        self.first_deadline = self
            .on_time
            .iter()
            .filter_map(|waiting| waiting.deadline)
            .min();
        late
    }

    fn leaving(&mut self) -> impl Iterator<Item = Waiting> {
        let Self { on_time, late, .. } = self;
        iter::from_fn(|| on_time.pop_front().or_else(|| late.pop_front()))
    }
}
