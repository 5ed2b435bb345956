use pytriton::prelude::*;

struct S;

impl S {
    #[load]
    fn load() -> Self {
        Self
    }
}

fn main() {}
