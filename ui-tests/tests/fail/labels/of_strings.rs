use pytriton::prelude::*;

#[model(name = "m", max_batch_size = 8)]
#[batch]
#[output(labels = "no\nyes")]
fn f(x: ArrayView2<i32>) -> Array2<String> {
    x.mapv(|x| x.to_string())
}

fn main() {}

//~ 5:
