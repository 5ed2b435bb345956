use pytriton::prelude::*;

#[model(name = "m", max_batch_size = 8)]
#[batch]
fn f(rows: Vec<ArrayView1<f32>>) -> Array2<f32> {
    Array2::zeros((rows.len(), 1))
}

fn main() {}

//~ 5: fn f(rows: ArrayView2<f32>) -> Array2<f32> {
