#[derive(pytriton::Outputs)]
struct S {
    x: Vec<f32>,
}

fn main() {}

//~ 3:     x: pytriton::ndarray::Array2<f32>,
