//! Models with sequences: running sums.

use std::cell::RefCell;
use std::collections::HashMap;
use std::iter;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use pytriton::prelude::*;

/// The sums of the sequences of one instance.
struct Sums {
    instance: u32,
    sums: RefCell<HashMap<String, i32>>,
}

/// The sum, the events of the sequence, the instance, and the number of requests in the call.
type Answer = (Array2<i32>, Array2<String>, Array2<u32>, Array2<u32>);

impl Sums {
    fn new(context: &Context) -> Self {
        Self {
            instance: context.instance(),
            sums: RefCell::default(),
        }
    }

    /// Adds the values of requests to the sums of their sequences.
    fn add_all(&self, requests: &[Request]) -> Vec<Result<Answer, String>> {
        let count = u32::try_from(requests.len()).unwrap_or(u32::MAX);
        let each = requests.iter();
        each.map(|request| self.add(request, count)).collect()
    }

    /// Waits for the milliseconds in the request's parameter `milliseconds`.
    fn add(&self, request: &Request, requests: u32) -> Result<Answer, String> {
        let milliseconds = request.parameters().int("milliseconds");
        let milliseconds = u64::try_from(milliseconds.unwrap_or_default()).unwrap_or_default();
        thread::sleep(Duration::from_millis(milliseconds));
        let value = request.array::<i32>("VALUE");
        let value = value.map_err(|error| error.to_string())?;
        let value = value.and_then(|value| value.first().copied());
        let sequence = request.sequence().ok_or("a request of no sequence")?;
        let id = format!("{:?}", sequence.id());
        let mut sums = self.sums.borrow_mut();
        if sequence.starts() {
            sums.insert(id.clone(), 0);
        }
        let sum = sums.get_mut(&id);
        let sum = sum.ok_or_else(|| format!("{id} has no sum"))?;
        *sum += value.unwrap_or_default();
        let total = *sum;
        if sequence.ends() {
            sums.remove(&id);
        }
        let seen = format!("{id} {} {}", sequence.starts(), sequence.ends());
        Ok((
            Array2::from_elem((1, 1), total),
            Array2::from_elem((1, 1), seen),
            Array2::from_elem((1, 1), self.instance),
            Array2::from_elem((1, 1), requests),
        ))
    }
}

/// Two slots.
struct Direct(Sums);

#[pytriton::model(
    name = "Direct",
    sequence_batching = direct,
    max_batch_size = 2,
    max_sequence_idle_microseconds = 2_000_000
)]
impl Direct {
    #[load]
    fn load(context: &Context) -> Self {
        Self(Sums::new(context))
    }

    #[infer]
    #[input(name = "VALUE", datatype = INT32, shape = [1])]
    fn add(&self, requests: &[Request]) -> Vec<Result<Answer, String>> {
        self.0.add_all(requests)
    }
}

/// Two slots, and space for more rows.
struct Oldest(Sums);

#[pytriton::model(
    name = "Oldest",
    sequence_batching = oldest,
    max_batch_size = 4,
    max_candidate_sequences = 2,
    max_sequence_idle_microseconds = 2_000_000
)]
impl Oldest {
    #[load]
    fn load(context: &Context) -> Self {
        Self(Sums::new(context))
    }

    #[infer]
    #[input(name = "VALUE", datatype = INT32, shape = [1])]
    fn add(&self, requests: &[Request]) -> Vec<Result<Answer, String>> {
        self.0.add_all(requests)
    }
}

/// Two instances with one slot each.
struct Spread(Sums);

#[pytriton::model(
    name = "Spread",
    sequence_batching = direct,
    max_batch_size = 1,
    max_sequence_idle_microseconds = 2_000_000,
    max_queue_delay_microseconds = 1000,
    minimum_slot_utilization = 0.3,
    instances = 2
)]
impl Spread {
    #[load]
    fn load(context: &Context) -> Self {
        Self(Sums::new(context))
    }

    #[infer]
    #[input(name = "VALUE", datatype = INT32, shape = [1])]
    fn add(&self, requests: &[Request]) -> Vec<Result<Answer, String>> {
        self.0.add_all(requests)
    }
}

static STATES: AtomicU32 = AtomicU32::new(0);

/// A state of a sequence; the states are counted.
struct Kept(i32);

impl Default for Kept {
    fn default() -> Self {
        STATES.fetch_add(1, Ordering::SeqCst);
        Self(0)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        STATES.fetch_sub(1, Ordering::SeqCst);
        tracing::info!("the state of a sequence is dropped");
    }
}

/// Counts on for the given number of steps, or without end if the number is negative.
#[pytriton::model(
    name = "Steps",
    sequence_batching = oldest,
    max_batch_size = 4,
    max_candidate_sequences = 4,
    max_sequence_idle_microseconds = 1_000_000
)]
fn steps(
    #[sequence] kept: &mut Kept,
    #[input(name = "VALUE", shape = [1])] value: ArrayView2<i32>,
) -> impl Iterator<Item = Array2<i32>> {
    let count = usize::try_from(value[[0, 0]]);
    let pause = count.map_or(Duration::from_millis(10), |_| Duration::ZERO);
    iter::repeat_with(move || {
        thread::sleep(pause);
        kept.0 += 1;
        array![[kept.0]]
    })
    .take(count.unwrap_or(usize::MAX))
}

/// Adds after the milliseconds in its parameter.
#[pytriton::model(
    name = "Sums",
    sequence_batching = direct,
    max_batch_size = 1,
    instances = 2,
    max_sequence_idle_microseconds = 1_000_000
)]
fn sums(
    #[sequence] kept: &mut Kept,
    parameters: &Parameters,
    #[input(name = "VALUE", shape = [1])] value: ArrayView2<i32>,
) -> Array2<i32> {
    tracing::info!("a value is added");
    let milliseconds = parameters.int("milliseconds").unwrap_or_default();
    let milliseconds = u64::try_from(milliseconds).unwrap_or_default();
    thread::sleep(Duration::from_millis(milliseconds));
    kept.0 += value[[0, 0]];
    array![[kept.0]]
}

/// The number of states of these sequences.
#[pytriton::model(name = "States", batching = false)]
fn states(#[input(name = "VALUE", shape = [1])] _: ArrayView1<i32>) -> Array1<u32> {
    array![STATES.load(Ordering::SeqCst)]
}
