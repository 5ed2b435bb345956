// Options are constant expressions.
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

const NAME: &str = "Constants";
const MAX: u32 = 16;
const SIZES: &[u32] = &[MAX / 2, MAX];
const WIDTH: i64 = 3;
const BATCHING: bool = true;

#[pytriton::model(name = NAME, max_batch_size = MAX, preferred_batch_size = SIZES, batching = BATCHING)]
#[output(shape = [WIDTH + 1])]
fn constants(#[input(shape = [WIDTH])] x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[pytriton::model(name = "Lists", max_batch_size = 2 * MAX, preferred_batch_size = [MAX, 4])]
fn lists(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

pub(crate) fn main() {
    let spec = spec("Constants");
    assert_eq!(spec.max_batch_size, 16);
    assert_eq!(spec.inputs[0].dims, [3]);
}
