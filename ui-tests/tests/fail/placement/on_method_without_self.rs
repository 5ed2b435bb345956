use pytriton::prelude::*;

// An attribute sees the function and not where it stands. What stands beside a function cannot stand inside of a block, and
// of that the compiler has errors of its own, whatever is put there: what it takes in both places is the same.
trait T {
    #[pytriton::model(name = "m")]
    fn f(x: Array2<f32>) -> Array2<f32> {
        x
    }
}

fn main() {}

//~ 5:
//~ 10:
