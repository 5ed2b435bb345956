use pytriton::prelude::*;

#[pytriton::model(name = "m", instances = std::env::var("INSTANCES"))]
fn f(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 3: #[pytriton::model(name = "m", instances = pytriton::num_cpus())]
