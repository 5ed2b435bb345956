#[derive(pytriton::Outputs)]
enum E {
    A,
}

fn main() {}

//~ 2: struct E {
//~ 3:     y: pytriton::ndarray::Array2<f32>,
