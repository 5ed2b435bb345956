use pytriton::prelude::*;

trait T {
    #[pytriton::model(name = "m")]
    fn f(x: Array2<f32>) -> Array2<f32>;
}

fn main() {}

//~ 3:
//~ 5:     fn f(x: Array2<f32>) -> Array2<f32> { x }
//~ 6:
