#[derive(pytriton::Outputs)]
struct S;

fn main() {}
