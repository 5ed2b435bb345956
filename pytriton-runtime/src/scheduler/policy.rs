use std::time::Duration;

use crate::model::{CallMode, ModelSpec, Priorities, QueuePolicy, SequenceStrategy};

use super::level::Level;

/// When and how many of the waiting requests make a batch: Triton's dynamic batcher as a pure rule.
///
/// Source: `DynamicBatchScheduler::GetDynamicBatch` in Triton 2.51.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// The most rows of a batch.
    pub max_batch_size: usize,
    /// Numbers of rows that are taken as soon as they are reached, ascending; empty when requests go alone.
    pub preferred_batch_sizes: Vec<usize>,
    /// How long the oldest request may wait for company.
    pub max_queue_delay: Duration,
    /// Whether responses leave in the order of their requests.
    pub preserve_ordering: bool,
    /// The priority levels, those that go first in front; never none.
    pub levels: Vec<Level>,
    /// Where among them a request waits that names none.
    pub default_level: usize,
}

/// What to do with the requests at the head of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Execute that many requests now.
    Take(usize),
    /// Look again after that time, or when another request comes.
    Wait(Duration),
}

impl Policy {
    /// The policy of a model, with the server's bound for queues that have none of their own.
    pub fn new(spec: &ModelSpec, default_queue_size: usize) -> Self {
        let max_batch_size = (spec.max_batch_size as usize).max(1);
        let batching = spec.dynamic_batching.as_ref().filter(|_| spec.batching());
        let queue = batching.map_or(QueuePolicy::DEFAULT, |batching| batching.queue_policy);
        let Gathering {
            gathers,
            preferred,
            max_queue_delay_microseconds,
            preserve_ordering,
        } = Gathering::of(spec);
        let sizes = preferred.iter();
        let mut preferred: Vec<usize> = sizes.map(|&size| size as usize).collect();
        if spec.call == CallMode::Request {
            // What is not stacked gains nothing from company, and would wait for it to be answered.
            preferred.clear();
        } else if gathers && preferred.is_empty() {
            preferred.push(max_batch_size);
        }
        preferred.sort_unstable();
        let priorities = batching.and_then(|batching| batching.priorities.clone());
        let priorities = priorities.unwrap_or(Priorities {
            levels: 1,
            default_level: 1,
            queue_policies: Vec::new(),
        });
        let policy = |level| {
            let mut own = priorities.queue_policies.iter();
            own.find(|(of, _)| *of == level)
                .map_or(queue, |(_, policy)| *policy)
        };
        Self {
            max_batch_size,
            preferred_batch_sizes: preferred,
            max_queue_delay: Duration::from_micros(max_queue_delay_microseconds),
            preserve_ordering,
            levels: (1..=priorities.levels)
                .map(|level| Level::new(policy(level), default_queue_size))
                .collect(),
            default_level: priorities.default_level.saturating_sub(1) as usize,
        }
    }

    /// Where among the levels a request waits that names the level `priority` (0 for none).
    ///
    /// As in Triton, one that names a level that there is not waits where one waits that names none.
    pub fn level(&self, priority: u64) -> usize {
        let named = priority.checked_sub(1).map(usize::try_from);
        match named {
            Some(Ok(level)) if level < self.levels.len() => level,
            _ => self.default_level,
        }
    }

    /// Decides on the head of a queue: `rows` are the rows of the requests that could go together, oldest first;
    /// `closed` says that the request behind them could not join; `waited` is how long the oldest has waited.
    pub fn decide(&self, rows: &[usize], closed: bool, waited: Duration) -> Decision {
        let Some(&largest_preferred) = self.preferred_batch_sizes.last() else {
            return Decision::Take(rows.len().min(1));
        };
        let (mut fitting, mut total, mut preferred) = (0, 0_usize, None);
        for &row in rows {
            if fitting > 0 && total.saturating_add(row) > self.max_batch_size {
                break;
            }
            total = total.saturating_add(row);
            fitting += 1;
            if self.preferred_batch_sizes.contains(&total) {
                preferred = Some(fitting);
            }
        }
        if let Some(preferred) = preferred {
            return Decision::Take(preferred);
        }
        let full = closed || fitting < rows.len() || total >= largest_preferred;
        match self.max_queue_delay.checked_sub(waited) {
            Some(left) if !full && !left.is_zero() => Decision::Wait(left),
            _ => Decision::Take(fitting),
        }
    }
}

/// What a batcher of either kind says of batches.
#[derive(Debug, Clone, Copy, Default)]
struct Gathering<'a> {
    /// Whether requests are gathered at all.
    gathers: bool,
    preferred: &'a [u32],
    max_queue_delay_microseconds: u64,
    preserve_ordering: bool,
}

impl<'a> Gathering<'a> {
    fn of(spec: &'a ModelSpec) -> Self {
        if !spec.batching() {
            return Self::default();
        }
        let sequences = spec.sequence_batching.as_ref();
        match (
            sequences.map(|batching| &batching.strategy),
            &spec.dynamic_batching,
        ) {
            (Some(SequenceStrategy::Direct { .. }), _) => Self {
                gathers: true,
                ..Self::default()
            },
            (
                Some(SequenceStrategy::Oldest {
                    preferred_batch_size,
                    max_queue_delay_microseconds,
                    preserve_ordering,
                    ..
                }),
                _,
            ) => Self {
                gathers: true,
                preferred: preferred_batch_size,
                max_queue_delay_microseconds: *max_queue_delay_microseconds,
                preserve_ordering: *preserve_ordering,
            },
            (None, Some(batching)) => Self {
                gathers: true,
                preferred: &batching.preferred_batch_size,
                max_queue_delay_microseconds: batching.max_queue_delay_microseconds,
                preserve_ordering: batching.preserve_ordering,
            },
            (None, None) => Self::default(),
        }
    }
}

#[cfg(test)]
mod tests {

    use crate::registry::ModelDeclaration;
    use crate::testing::IDENTITY;

    use crate::registry::{DynamicBatchingDeclaration, PrioritiesDeclaration};

    use super::*;

    fn policy(preferred: &[usize], delay: u64) -> Policy {
        Policy {
            max_batch_size: 8,
            preferred_batch_sizes: preferred.to_vec(),
            max_queue_delay: Duration::from_micros(delay),
            preserve_ordering: false,
            levels: vec![Level::new(QueuePolicy::DEFAULT, 16)],
            default_level: 0,
        }
    }

    #[test]
    fn decides_as_triton_does() {
        use Decision::{Take, Wait};
        let wait = |left| Wait(Duration::from_micros(left));
        type Row<'a> = (&'a [usize], u64, &'a [usize], bool, u64, Decision);
        let table: &[Row<'_>] = &[
            // No dynamic batching: each request alone.
            (&[], 0, &[1, 1, 1], false, 0, Take(1)),
            // No delay: whatever is there.
            (&[8], 0, &[1, 1, 1], false, 0, Take(3)),
            (&[8], 0, &[3, 3, 3], false, 0, Take(2)),
            (&[8], 0, &[8], false, 0, Take(1)),
            // A delay: wait for company, but not when the batch is full or cannot grow.
            (&[8], 100, &[1, 1], false, 40, wait(60)),
            (&[8], 100, &[1, 1], false, 100, Take(2)),
            (&[8], 100, &[1, 1], true, 0, Take(2)),
            (&[8], 100, &[4, 4], false, 0, Take(2)),
            (&[8], 100, &[5, 4], false, 0, Take(1)),
            // A preferred size goes at once, the largest that is reached.
            (&[2, 4], 100, &[1, 1], false, 0, Take(2)),
            (&[2, 4], 100, &[1, 1, 1], false, 0, Take(2)),
            (&[2, 4], 100, &[1, 1, 1, 1, 1], false, 0, Take(4)),
            (&[4], 100, &[3, 3], false, 0, Take(2)),
            (&[4], 100, &[3], false, 0, wait(100)),
        ];
        for (preferred, delay, rows, closed, waited, expected) in table {
            let waited = Duration::from_micros(*waited);
            let got = policy(preferred, *delay).decide(rows, *closed, waited);
            assert_eq!(got, *expected, "{preferred:?} {delay} {rows:?} {closed}");
        }
    }

    #[test]
    fn a_request_waits_on_the_level_that_it_names() {
        let priorities = PrioritiesDeclaration {
            levels: 3,
            default_level: 2,
            queue_policies: &[(
                3,
                QueuePolicy {
                    max_queue_size: 7,
                    ..QueuePolicy::DEFAULT
                },
            )],
        };
        let three = policy_of(Some(priorities));
        let sizes: Vec<usize> = three
            .levels
            .iter()
            .map(|level| level.max_queue_size)
            .collect();
        assert_eq!(sizes, [16, 16, 7]);
        let one = policy_of(None);
        let table = [(0, 1), (1, 0), (2, 1), (3, 2), (4, 1), (u64::MAX, 1)];
        for (priority, expected) in table {
            assert_eq!(three.level(priority), expected, "{priority}");
            assert_eq!(one.level(priority), 0, "{priority}");
        }
    }

    fn policy_of(priorities: Option<PrioritiesDeclaration>) -> Policy {
        let declaration = ModelDeclaration {
            dynamic_batching: IDENTITY.dynamic_batching.map(|batching| {
                DynamicBatchingDeclaration {
                    priorities,
                    ..batching
                }
            }),
            ..IDENTITY
        };
        Policy::new(&declaration.spec().unwrap(), 16)
    }
}
