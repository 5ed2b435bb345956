use pytriton::prelude::*;

#[pytriton::model(name = "m")]
trait T {}

fn main() {}
