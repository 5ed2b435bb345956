use pytriton::prelude::*;

trait T {
    fn f(x: Array2<f32>) -> Array2<f32>;
}

struct S;

impl T for S {
    #[model(name = "m")]
    fn f(x: Array2<f32>) -> Array2<f32> {
        x
    }
}

fn main() {}

//~ 9:
//~ 14:
