#[pytriton::model(name = "m")]
const C: u8 = 1;

fn main() {}

//~ 2: fn c(x: pytriton::ndarray::Array2<f32>) -> pytriton::ndarray::Array2<f32> { x }
