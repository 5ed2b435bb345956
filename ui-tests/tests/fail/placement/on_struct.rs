#[pytriton::model(name = "m")]
struct S;

fn main() {}
