#[derive(pytriton::Outputs)]
struct S {
    x: Vec<f32>,
}

fn main() {}
