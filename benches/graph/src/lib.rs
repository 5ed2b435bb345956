//! Three models; the second is the slowest. Another one takes its place if it runs on a device.

use std::hint::spin_loop;
use std::thread::sleep;
use std::time::{Duration, Instant};

use pytriton::prelude::*;

/// Keeps the processor busy, as a network would.
fn work(time: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < time {
        spin_loop();
    }
}

/// The first member.
#[pytriton::model(name = "Prepare", client = Prepare, max_batch_size = 8)]
#[batch]
pub fn prepare(x: ArrayView2<f32>) -> Array2<f32> {
    work(Duration::from_micros(20));
    &x + 1.0
}

/// The slowest member.
#[pytriton::model(name = "Network", client = Network, max_batch_size = 8)]
#[batch]
pub fn network(x: ArrayView2<f32>) -> Array2<f32> {
    work(Duration::from_micros(300));
    &x * 2.0
}

/// The slowest member if it runs on a device, which leaves the processors to the others.
#[pytriton::model(name = "Device", client = Device, max_batch_size = 8)]
#[batch]
pub fn device(x: ArrayView2<f32>) -> Array2<f32> {
    sleep(Duration::from_millis(2));
    &x * 2.0
}

/// The last member.
#[pytriton::model(name = "Finish", client = Finish, max_batch_size = 8)]
#[batch]
pub fn finish(x: ArrayView2<f32>) -> Array2<f32> {
    work(Duration::from_micros(20));
    &x - 1.0
}

pytriton::backend!();
