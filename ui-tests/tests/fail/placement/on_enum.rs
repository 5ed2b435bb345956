#[pytriton::model(name = "m")]
enum E {}

fn main() {}
