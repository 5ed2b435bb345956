// Generated code compiles if lints are forbidden.
#![forbid(deprecated, unused_imports, unused_variables, dead_code, unsafe_code)]

use pytriton::prelude::*;

#[pytriton::model(name = "Forbidden")]
#[batch]
fn forbidden(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

#[derive(Outputs)]
struct Both {
    y: Array2<f32>,
}

#[pytriton::model(name = "BothForbidden")]
fn both(x: Array2<f32>) -> Both {
    Both { y: x }
}

pub(crate) fn main() {}
