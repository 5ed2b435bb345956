#[pytriton::model(name = "m")]
struct S;

fn main() {}

//~ 2: fn s(x: pytriton::ndarray::Array2<f32>) -> pytriton::ndarray::Array2<f32> { x }
