use pytriton::prelude::*;

#[pytriton::model(name = "m", sequence_batching = oldest, minimum_slot_utilization = 0.5)]
fn f(x: Array2<f32>) -> Array2<f32> {
    x
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", sequence_batching = direct, minimum_slot_utilization = 0.5)]
