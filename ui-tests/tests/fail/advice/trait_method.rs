use pytriton::prelude::*;

trait T {
    #[model(name = "m")]
    fn f(x: Array2<f32>) -> Array2<f32> {
        x
    }
}

fn main() {}

//~ 3:
//~ 8:
