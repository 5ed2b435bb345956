use std::cell::Cell;
use std::sync::Arc;

use pytriton::prelude::*;

struct Calls(Cell<f32>);

#[pytriton::model(name = "Count")]
#[batch]
fn count(x: ArrayView2<f32>, calls: &Arc<Calls>) -> Array2<f32> {
    &x * calls.0.replace(1.0)
}

fn main() {}
//~ 6: struct Calls(std::sync::Mutex<f32>);
//~ 11:     &x * std::mem::replace(&mut *calls.0.lock().unwrap(), 1.0)
