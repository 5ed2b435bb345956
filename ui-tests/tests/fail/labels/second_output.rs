use pytriton::prelude::*;

const LABELS: &str = "no\nyes\nperhaps\n";

#[model(name = "m", max_batch_size = 8)]
#[batch]
#[output(name = "a")]
#[output(name = "b", shape = [2], labels = LABELS)]
fn f(x: ArrayView2<f32>) -> (Array2<f32>, Array2<f32>) {
    (x.to_owned(), x.to_owned())
}

fn main() {}

//~ 8: #[output(name = "b", shape = [3], labels = LABELS)]
