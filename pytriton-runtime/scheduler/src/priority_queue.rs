use std::collections::VecDeque;
use std::iter;
use std::mem;

use pytriton_core::model::TimeoutAction;
use tokio::time::Instant;

use super::message::{Ticket, Waiting};

/// The maximum number of levels with waiting requests. Adding a level moves those below it.
const MAX_WAITING_LEVELS: usize = 4096;

/// The waiting requests, ordered by priority level. Within a level, delayed requests come last.
///
/// Source: `PriorityQueue` in Triton 2.51.
#[derive(Debug, Default)]
pub(super) struct PriorityQueue {
    /// The levels with requests, and some without, ascending.
    levels: Vec<LevelQueue>,
    len: usize,
}

/// The requests of one level.
#[derive(Debug, Default)]
struct LevelQueue {
    level: u64,
    on_time: VecDeque<Waiting>,
    late: VecDeque<Waiting>,
    /// No request in `on_time` times out before this.
    first_deadline: Option<Instant>,
}

impl PriorityQueue {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns whether a level has `most` waiting requests, or would be one level too many.
    pub(super) fn is_full(&self, level: u64, most: usize) -> bool {
        match self.find(level) {
            Ok(index) => self.levels[index].len() >= most,
            Err(_) => {
                self.levels.len() >= MAX_WAITING_LEVELS
                    && self.levels.iter().all(|places| places.len() > 0)
            }
        }
    }

    /// Adds a request at the end of its level.
    pub(super) fn push(&mut self, waiting: Waiting) {
        let level = waiting.ticket.level;
        let index = self.find(level).unwrap_or_else(|_| self.add_level(level));
        let places = &mut self.levels[index];
        places.expect(waiting.deadline);
        places.on_time.push_back(waiting);
        self.len += 1;
    }

    /// Removes levels without requests, and adds one. Returns its index.
    #[cold]
    fn add_level(&mut self, level: u64) -> usize {
        self.levels.retain(|places| places.len() > 0);
        let index = self.levels.partition_point(|places| places.level < level);
        let places = LevelQueue {
            level,
            ..LevelQueue::default()
        };
        self.levels.insert(index, places);
        index
    }

    fn find(&self, level: u64) -> Result<usize, usize> {
        self.levels
            .binary_search_by_key(&level, |places| places.level)
    }

    /// Returns all requests in the order in which they leave.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Waiting> + Clone {
        self.levels.iter().flat_map(LevelQueue::iter)
    }

    /// Removes the first `count` requests.
    pub(super) fn take(&mut self, count: usize) -> impl Iterator<Item = Waiting> {
        let Self { levels, len } = self;
        let first = levels.iter_mut().flat_map(LevelQueue::leaving);
        first.take(count).inspect(|_| *len -= 1)
    }

    /// Removes a request. Returns its position among all requests.
    pub(super) fn withdraw(&mut self, ticket: Ticket) -> Option<(usize, Waiting)> {
        let index = self.find(ticket.level).ok()?;
        let mut before: usize = self.levels[..index].iter().map(LevelQueue::len).sum();
        let places = &mut self.levels[index];
        for line in [&mut places.on_time, &mut places.late] {
            if let Some(at) = line.iter().position(|waiting| waiting.ticket == ticket) {
                self.len -= 1;
                return Some((before + at, line.remove(at)?));
            }
            before += line.len();
        }
        None
    }

    /// Delays timed-out requests behind the others of their level, or returns them, depending on
    /// the action of the level.
    pub(super) fn take_timed_out(
        &mut self,
        now: Instant,
        action: impl Fn(u64) -> TimeoutAction,
    ) -> VecDeque<Waiting> {
        let mut refused = VecDeque::new();
        for places in &mut self.levels {
            let mut late = places.take_timed_out(now);
            match late.is_empty() || action(places.level) == TimeoutAction::Delay {
                true => places.late.append(&mut late),
                false => refused.append(&mut late),
            }
        }
        self.len -= refused.len();
        refused
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
