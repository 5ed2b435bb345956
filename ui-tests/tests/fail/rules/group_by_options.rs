use pytriton::decorators::ConstantPadder;
use pytriton::prelude::*;

#[pytriton::model(name = "Wrong")]
#[batch]
#[group_by_values(x, pad = 1, pad_fn = ConstantPadder::new(0), pad_fn = ConstantPadder::new(1))]
fn wrong(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {
    let _ = ConstantPadder::new(0);
}

//~ 6: #[group_by_values(x, pad_fn = ConstantPadder::new(0))]
