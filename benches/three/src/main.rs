//! Three models that measure the time until ready; the same as in `benches/pytriton_server.py`.

use std::sync::LazyLock;

use pytriton::prelude::*;

static WEIGHTS: LazyLock<Array2<f32>> = LazyLock::new(|| Array::from_elem((20, 30), 0.5));

#[derive(pytriton::Outputs)]
struct Both {
    add: Array2<f32>,
    sub: Array2<f32>,
}

#[pytriton::model(name = "AddSub", max_batch_size = 128)]
#[batch]
fn add_sub(a: ArrayView2<f32>, b: ArrayView2<f32>) -> Both {
    Both {
        add: &a + &b,
        sub: &a - &b,
    }
}

#[pytriton::model(name = "Linear", max_batch_size = 128)]
#[output(shape = [30])]
#[batch]
fn linear(#[input(shape = [20])] x: ArrayView2<f32>) -> Array2<f32> {
    x.dot(&*WEIGHTS)
}

#[pytriton::model(name = "Identity", max_batch_size = 16)]
fn identity(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Array2<f32> {
    input.to_owned()
}

pytriton::main!();
