//! A binary with the engines that the features of this crate select.

use pytriton::prelude::*;

#[pytriton::model(name = "Double")]
#[batch]
fn double(x: ArrayView2<i32>) -> Array2<i32> {
    &x * 2
}

pytriton::main!();
