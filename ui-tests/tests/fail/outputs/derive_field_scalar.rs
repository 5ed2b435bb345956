#[derive(pytriton::Outputs)]
struct S {
    x: f32,
}

fn main() {}
