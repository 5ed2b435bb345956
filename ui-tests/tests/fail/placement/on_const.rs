#[pytriton::model(name = "m")]
const C: u8 = 1;

fn main() {}
