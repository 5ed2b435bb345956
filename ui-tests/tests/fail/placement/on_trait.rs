#[pytriton::model(name = "m")]
trait T {}

fn main() {}

//~ 2: fn t(x: pytriton::ndarray::Array2<f32>) -> pytriton::ndarray::Array2<f32> { x }
