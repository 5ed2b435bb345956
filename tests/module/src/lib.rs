//! The models for the end-to-end tests of Python modules, and functions that observe their process.

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use pytriton::prelude::*;
use triton_test_models as _;

/// The address of its input.
#[pytriton::model(name = "AddressOfInput")]
fn address_of_input(x: ArrayView2<f32>) -> Array2<u64> {
    array![[x.as_ptr().addr() as u64]]
}

/// The address of a boolean input.
#[pytriton::model(name = "AddressOfTruth")]
fn address_of_truth(x: ArrayView2<bool>) -> Array2<u64> {
    array![[x.as_ptr().addr() as u64]]
}

/// The requested number of elements, and their address.
#[pytriton::model(name = "AddressOfOutput", batching = false)]
fn address_of_output(count: ArrayView1<u32>) -> (Array1<f32>, Array1<u64>) {
    let elements: Array1<f32> = Array1::ones(count[0] as usize);
    let address = elements.as_ptr().addr() as u64;
    (elements, array![address])
}

static PRESENT: Mutex<u32> = Mutex::new(0);
static CAME: Condvar = Condvar::new();

/// Waits for the given number of concurrent calls.
#[pytriton::model(name = "Meet", max_batch_size = 1, instances = 4)]
fn meet(count: ArrayView2<u32>) -> Result<Array2<u32>, String> {
    let count = count[[0, 0]];
    let mut present = PRESENT.lock().unwrap_or_else(PoisonError::into_inner);
    *present += 1;
    CAME.notify_all();
    let waited =
        CAME.wait_timeout_while(present, Duration::from_secs(20), |present| *present < count);
    let (present, waited) = waited.unwrap_or_else(PoisonError::into_inner);
    match waited.timed_out() {
        true => Err(format!("{present} came")),
        false => Ok(array![[*present]]),
    }
}

static LOADS: AtomicU32 = AtomicU32::new(0);

struct Loaded;

/// The number of loads.
#[pytriton::model(name = "Loaded")]
impl Loaded {
    #[load]
    fn load() -> Self {
        LOADS.fetch_add(1, Ordering::Relaxed);
        Self
    }

    #[infer]
    fn infer(&self, _x: ArrayView2<f32>) -> Array2<u32> {
        array![[LOADS.load(Ordering::Relaxed)]]
    }
}

/// A name that Python cannot write, with optional inputs.
#[pytriton::model(name = "left-out")]
#[batch]
fn left_out(
    x: ArrayView2<f32>,
    /// The offsets to add.
    offset: Option<ArrayView2<f32>>,
    #[first_value] by: f32,
) -> Array2<f32> {
    let scaled = &x * by;
    match offset {
        Some(offset) => scaled + offset,
        None => scaled,
    }
}

/// The number of rows in the call.
#[pytriton::model(
    name = "Gathered",
    max_batch_size = 8,
    max_queue_delay_microseconds = 200_000
)]
#[batch]
fn gathered(x: ArrayView2<f32>) -> Array2<u32> {
    Array2::from_elem((x.nrows(), 1), u32::try_from(x.nrows()).unwrap_or_default())
}

static READS: AtomicU32 = AtomicU32::new(0);
static CHANGES: AtomicU32 = AtomicU32::new(0);

/// Reads an input twice, half a second apart.
fn look_twice(x: ArrayView2<f32>) -> Array2<f32> {
    let first = black_box(&x)[[0, 0]];
    sleep(Duration::from_millis(500));
    if black_box(&x)[[0, 0]] != first {
        CHANGES.fetch_add(1, Ordering::SeqCst);
    }
    READS.fetch_add(1, Ordering::SeqCst);
    Array2::zeros((1, 1))
}

/// Reads its input for half a second.
#[pytriton::model(name = "Rereads", max_batch_size = 1)]
fn rereads(x: ArrayView2<f32>) -> Array2<f32> {
    look_twice(x)
}

/// The same with a limit that is exceeded.
#[pytriton::model(
    name = "RereadsTooLong",
    max_batch_size = 1,
    max_call_microseconds = 100_000
)]
fn rereads_too_long(x: ArrayView2<f32>) -> Array2<f32> {
    look_twice(x)
}

/// The number of inputs that were read twice, and of those that changed meanwhile.
#[pytriton::model(name = "Reread", batching = false)]
fn reread(_x: ArrayView1<f32>) -> Array1<u32> {
    array![READS.load(Ordering::SeqCst), CHANGES.load(Ordering::SeqCst)]
}

/// Also becomes `left_out` in Python.
#[cfg(feature = "same-names")]
#[pytriton::model(name = "left_out")]
fn same_name(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

/// A name that each module reserves.
#[cfg(feature = "taken-name")]
#[pytriton::model(name = "serve")]
fn taken_name(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

pytriton::python!();
