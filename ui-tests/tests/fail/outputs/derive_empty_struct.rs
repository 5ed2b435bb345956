#[derive(pytriton::Outputs)]
struct S {}

fn main() {}

//~ 2: struct S { y: pytriton::ndarray::Array2<f32> }
