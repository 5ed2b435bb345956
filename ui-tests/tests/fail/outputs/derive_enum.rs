#[derive(pytriton::Outputs)]
enum E {
    A,
}

fn main() {}
