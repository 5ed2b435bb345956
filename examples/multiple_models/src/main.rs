//! Several models in one binary: one with two versions, and one with state.

use std::cell::Cell;

use pytriton::prelude::*;

#[pytriton::model(name = "Sum", batching = false)]
fn sum(a: ArrayView1<i64>, b: ArrayView1<i64>) -> Array1<i64> {
    &a + &b
}

/// The arithmetic mean.
#[pytriton::model(name = "Mean", max_batch_size = 64)]
#[batch]
fn arithmetic_mean(x: ArrayView2<f64>) -> Array2<f64> {
    x.sum_axis(Axis(1)).insert_axis(Axis(1)) / x.ncols().max(1) as f64
}

/// The geometric mean. Requests without a version are for this one.
#[pytriton::model(name = "Mean", version = 2, max_batch_size = 64)]
#[batch]
fn geometric_mean(x: ArrayView2<f64>) -> Array2<f64> {
    let logarithms = x.mapv(f64::ln).sum_axis(Axis(1)) / x.ncols().max(1) as f64;
    logarithms.mapv(f64::exp).insert_axis(Axis(1))
}

/// Counts the rows of its requests.
struct Counter {
    seen: Cell<u64>,
}

#[pytriton::model(name = "Counter", max_batch_size = 16)]
impl Counter {
    #[load]
    fn load() -> Self {
        Self { seen: Cell::new(0) }
    }

    #[infer]
    #[batch]
    fn infer(&self, x: ArrayView2<u8>) -> Array2<u64> {
        self.seen.set(self.seen.get() + x.nrows() as u64);
        Array2::from_elem((x.nrows(), 1), self.seen.get())
    }
}

pytriton::main!();
