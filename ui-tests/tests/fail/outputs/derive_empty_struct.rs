use pytriton::prelude::*;

#[derive(pytriton::Outputs)]
struct S {}

fn main() {}
