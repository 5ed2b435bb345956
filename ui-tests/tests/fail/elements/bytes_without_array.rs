use pytriton::elements::Bytes;
use pytriton::prelude::*;

#[pytriton::model(name = "Lengths")]
#[batch]
fn lengths(file: Bytes) -> Array2<u64> {
    Array2::from_elem((1, 1), file.len() as u64)
}

fn main() {}
//~ 6: fn lengths(file: ArrayView2<Bytes>) -> Array2<u64> {
