use pytriton::prelude::*;

struct S;

impl S {
    #[model(name = "m")]
    fn f(_x: Array2<f32>) -> Array2<f32> {
        todo!()
    }
}

fn main() {}

//~ 5:
//~ 10:
