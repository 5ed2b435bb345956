#[pytriton::model(name = "m")]
mod m {}

fn main() {}

//~ 2: fn m(x: pytriton::ndarray::Array2<f32>) -> pytriton::ndarray::Array2<f32> { x }
