#[pytriton::model(name = "m")]
mod m {}

fn main() {}
