use pytriton::prelude::*;

#[derive(Outputs)]
struct Classes {
    #[output(shape = [1000], labels = "labels.txt")]
    scores: Array2<f32>,
}

fn main() {}

//~ 5: #[output(shape = [1000])]
