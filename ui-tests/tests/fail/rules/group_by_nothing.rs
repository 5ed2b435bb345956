use pytriton::prelude::*;

#[pytriton::model(name = "Wrong")]
#[batch]
#[group_by_values]
fn wrong(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 5: #[group_by_values(x)]
