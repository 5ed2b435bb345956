use pytriton::prelude::*;

// An attribute sees the function, but not its position. The compiler itself reports items that are
// not allowed within a block, so the expansion is the same in both places.
trait T {
    #[pytriton::model(name = "m")]
    fn f(x: Array2<f32>) -> Array2<f32> {
        x
    }
}

fn main() {}

//~ 5:
//~ 10:
