#[pytriton::model(name = "m")]
enum E {}

fn main() {}

//~ 2: fn e(x: pytriton::ndarray::Array2<f32>) -> pytriton::ndarray::Array2<f32> { x }
