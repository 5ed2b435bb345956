//! A table, its clock, and the requests taken out of it.

use std::sync::Arc;
use std::time::Duration;

use pytriton_core::model::{CallMode, ModelSpec};
use pytriton_core::registry::{ModelDeclaration, ModelOptions};
use pytriton_core::request::{Generation, Sequence, SequenceId};
use pytriton_core::testing::IDENTITY;
use tokio::time::Instant;

use crate::Policy;
use crate::sequences::slot::Queued;
use crate::sequences::table::{DropReason, Found, NotStarted, Table};

/// How long a sequence may be idle, in units of the clock.
pub(super) const IDLE: u64 = 1000;

#[derive(Debug, Clone, Copy)]
pub(super) struct TestRequest {
    pub(super) number: u32,
    pub(super) arrived: Instant,
    pub(super) shape: u8,
    /// The generation of its sequence.
    pub(super) generation: u64,
}

impl Queued for TestRequest {
    fn number(&self) -> u64 {
        self.number.into()
    }

    fn arrived(&self) -> Instant {
        self.arrived
    }

    fn belong(&mut self, generation: &Arc<Generation>) {
        self.generation = generation.number();
    }

    fn can_batch_with(&self, other: &Self) -> bool {
        self.shape == other.shape
    }
}

/// A table, its clock, and the requests that were taken out of it.
pub(super) struct Bench {
    pub(super) table: Table<TestRequest>,
    pub(super) policy: Policy,
    pub(super) begun: Instant,
    pub(super) now: u64,
    pub(super) next: u32,
    pub(super) instances: u32,
}

impl Bench {
    /// Creates a table with this number of instances and slots per instance.
    pub(super) fn new(strategy: ModelOptions<'static>, instances: u32, slots: u32) -> Self {
        Self::of(strategy, instances, slots, CallMode::Batch)
    }

    pub(super) fn of(
        strategy: ModelOptions<'static>,
        instances: u32,
        slots: u32,
        call: CallMode,
    ) -> Self {
        let declaration = ModelDeclaration {
            options: ModelOptions {
                max_batch_size: slots,
                max_sequence_idle_microseconds: IDLE,
                ..strategy
            },
            call,
            ..IDENTITY
        };
        let spec: ModelSpec = declaration.spec().unwrap();
        let mut bench = Self {
            table: Table::new(&spec, spec.sequence_batching().unwrap()),
            policy: Policy::new(&spec, 4),
            begun: Instant::now(),
            now: 0,
            next: 0,
            instances,
        };
        for instance in 0..instances {
            bench.table.enter(instance, bench.clock());
        }
        bench
    }

    pub(super) fn clock(&self) -> Instant {
        self.begun + Duration::from_micros(self.now)
    }

    pub(super) fn ask(&mut self, id: u64, flags: &str) -> Result<u32, NotStarted> {
        self.ask_until(id, flags, None)
    }

    /// Adds a request with flags `S` and `E` and shape `x`. Returns its number.
    pub(super) fn ask_until(
        &mut self,
        id: u64,
        flags: &str,
        timeout: Option<u64>,
    ) -> Result<u32, NotStarted> {
        let now = self.clock();
        let id = SequenceId::Number(id);
        let sequence = Sequence::new(id).unwrap();
        let sequence = sequence.start(flags.contains('S')).end(flags.contains('E'));
        self.table.expire(now);
        self.table.check(&sequence)?;
        let number = self.next;
        self.next += 1;
        let asked = TestRequest {
            number,
            arrived: now,
            shape: u8::from(flags.contains('x')),
            generation: 0,
        };
        let deadline = timeout.map(|timeout| now + Duration::from_micros(timeout));
        self.table.push(&sequence, asked, deadline, now);
        Ok(number)
    }

    /// Returns the numbers in an instance's next batch, and their slots.
    pub(super) fn take(&mut self, instance: u32) -> (Vec<u32>, Vec<u32>) {
        let (batch, slots) = self.take_asked(instance);
        (batch.iter().map(|asked| asked.number).collect(), slots)
    }

    /// Like `take`, with the requests themselves.
    pub(super) fn take_asked(&mut self, instance: u32) -> (Vec<TestRequest>, Vec<u32>) {
        let now = self.clock();
        match self.table.take(instance, &self.policy, false, now) {
            Found::Recheck(_) => (Vec::new(), Vec::new()),
            Found::Batch(batch) => {
                let slots = batch.iter().map(|(slot, _)| *slot).collect();
                (batch.into_iter().map(|(_, asked)| asked).collect(), slots)
            }
        }
    }

    pub(super) fn done(&mut self, instance: u32, slots: &[u32]) {
        let now = self.clock();
        self.table.executed(instance, slots, now);
    }

    /// Executes the next batch of an instance.
    pub(super) fn run(&mut self, instance: u32) -> Vec<u32> {
        let (numbers, slots) = self.take(instance);
        if !numbers.is_empty() {
            self.done(instance, &slots);
        }
        numbers
    }

    /// Executes all batches and returns their numbers.
    pub(super) fn run_all(&mut self) -> Vec<Vec<u32>> {
        let mut batches = Vec::new();
        loop {
            let before = batches.len();
            for instance in 0..self.instances {
                let batch = self.run(instance);
                batches.extend((!batch.is_empty()).then_some(batch));
            }
            if batches.len() == before {
                return batches;
            }
        }
    }

    pub(super) fn remove_cancelled(&mut self, number: u32) -> bool {
        let now = self.clock();
        let taken = self.table.remove_cancelled(number.into(), now);
        taken.is_some()
    }

    pub(super) fn pass(&mut self, microseconds: u64) {
        self.now += microseconds;
        let now = self.clock();
        self.table.expire(now);
    }

    pub(super) fn lost(&mut self) -> Vec<(u32, DropReason)> {
        let lost = self.table.lost().into_iter();
        lost.map(|(asked, why)| (asked.number, why)).collect()
    }

    /// Returns how much the table keeps, in entries of all kinds.
    pub(super) fn entries(&self) -> usize {
        let table = &self.table;
        let backlog = table.backlog.sequences.values();
        let backlog = backlog.map(|waiting| 1 + waiting.queue.len());
        let slots = table.instances.values().flat_map(|slots| &slots.slots);
        let slots = slots.map(|slot| slot.queue.len() + usize::from(slot.issued.is_some()));
        let issued = table.instances.values().map(|slots| slots.issued.len());
        let deadlines = table.active.deadlines.len() + table.backlog.deadlines.len();
        let others = table.active.known.len() + table.lost.len() + table.places.len() + deadlines;
        backlog.chain(slots).chain(issued).sum::<usize>() + others
    }

    /// Returns the number of free slots.
    pub(super) fn free(&mut self) -> usize {
        let (mut free, first) = (0, 1 << 40);
        let waiting = self.table.len();
        let mut asked = Vec::new();
        // Requests without a slot cannot be executed.
        for id in first..first + 100 {
            asked.push(self.ask(id, "SE").unwrap());
        }
        for instance in 0..self.instances {
            while let (numbers, slots) = self.take(instance)
                && !numbers.is_empty()
            {
                free += numbers.len();
                // The batch never completes, so the next one waits for its slot.
                drop(slots);
            }
        }
        for number in asked {
            self.remove_cancelled(number);
        }
        assert!(self.table.len() <= waiting);
        free
    }
}
