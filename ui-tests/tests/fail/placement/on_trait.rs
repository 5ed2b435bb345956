#[pytriton::model(name = "m")]
trait T {}

fn main() {}
