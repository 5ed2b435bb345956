//! Models that I/O threads may call.

use std::cell::Cell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use pytriton::ndarray::array;
use pytriton::prelude::*;
use tokio::sync::Mutex;

/// The calls of each instance, as counted by its state.
static OF_INSTANCES: [AtomicU32; 2] = [AtomicU32::new(0), AtomicU32::new(0)];
/// The calls of both instances.
static CALLS: AtomicU32 = AtomicU32::new(0);
/// The calls that found another call of the same instance.
static OVERLAPS: AtomicU32 = AtomicU32::new(0);
/// The calls on other threads than those of the instances.
static INLINE: AtomicU32 = AtomicU32::new(0);

/// A state that loses calls if two threads use it at the same time.
struct InlineCounter {
    instance: usize,
    calls: Cell<u32>,
    busy: AtomicBool,
}

#[pytriton::model(
    name = "InlineCounter",
    max_batch_size = 1,
    instances = 2,
    inline = true
)]
impl InlineCounter {
    #[load]
    fn load(context: &Context) -> Result<Self, String> {
        Ok(Self {
            instance: usize::try_from(context.instance()).map_err(|error| error.to_string())?,
            calls: Cell::new(0),
            busy: AtomicBool::new(false),
        })
    }

    /// Takes 1 to 40 µs. Returns the calls of all instances, the sum of the instances' own counts,
    /// the overlaps, and the calls on other threads than those of the instances.
    #[infer]
    #[batch]
    fn count(&self, _input_1: ArrayView2<f32>) -> Array2<u32> {
        let count = self.calls.get() + 1;
        if self.busy.swap(true, Ordering::SeqCst) {
            OVERLAPS.fetch_add(1, Ordering::SeqCst);
        }
        if !on_thread_of("InlineCounter") {
            INLINE.fetch_add(1, Ordering::SeqCst);
        }
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_micros(1 + u64::from(count % 40)) {
            spin_loop();
        }
        self.calls.set(count);
        OF_INSTANCES[self.instance].store(count, Ordering::SeqCst);
        let calls = CALLS.fetch_add(1, Ordering::SeqCst) + 1;
        self.busy.store(false, Ordering::SeqCst);
        let of_instances = OF_INSTANCES.each_ref().map(|it| it.load(Ordering::SeqCst));
        let counts = [
            calls,
            of_instances.iter().sum(),
            OVERLAPS.load(Ordering::SeqCst),
            INLINE.load(Ordering::SeqCst),
        ];
        Array2::from_shape_fn((1, counts.len()), |(_, column)| counts[column])
    }
}

/// The calls of [`blocking`].
static BLOCKING_CALLS: AtomicU32 = AtomicU32::new(0);

/// Blocks in tokio if `number` is divisible by 1 000, which the threads that serve connections
/// refuse. Returns the number of calls, and whether this one is on the instance's own thread.
#[pytriton::model(name = "InlineBlocking", max_batch_size = 1, inline = true)]
#[batch]
fn blocking(number: ArrayView2<u32>) -> Array2<u32> {
    let calls = BLOCKING_CALLS.fetch_add(1, Ordering::SeqCst) + 1;
    if number[[0, 0]].is_multiple_of(1_000) {
        drop(Mutex::new(()).blocking_lock());
    }
    array![[calls, on_thread_of("InlineBlocking").into()]]
}

/// Returns whether this is a thread of the model's instances.
fn on_thread_of(model: &str) -> bool {
    let thread = thread::current();
    let rest = thread.name().and_then(|name| name.strip_prefix(model));
    rest.is_some_and(|rest| rest.starts_with('_'))
}
