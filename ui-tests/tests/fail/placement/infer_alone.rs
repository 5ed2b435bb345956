use pytriton::prelude::*;

struct S;
impl S {
    #[infer] fn f(&self) {}
}

fn main() {}
