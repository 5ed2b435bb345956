//! Groups rows with equal values into one call, and pads batches to the sizes that the network
//! supports.

use pytriton::decorators::ConstantPadder;
use pytriton::prelude::*;

/// The tokens that a beam search finds. Each length needs its own network.
///
/// A request may mix lengths; shorter results are padded with zeros.
#[pytriton::model(name = "Beam", max_batch_size = 16)]
#[batch]
#[group_by_values(length, pad_fn = ConstantPadder::new(0))]
fn beam(start: ArrayView2<i32>, #[first_value] length: u8) -> Array2<i32> {
    let tokens: Array1<i32> = (1..=i32::from(length)).collect();
    &start + &tokens
}

/// A network that is compiled for batches of 1, 4 and 8.
#[pytriton::model(name = "Compiled", max_batch_size = 8, preferred_batch_size = [1, 4])]
#[batch]
#[pad_batch]
fn compiled(x: ArrayView2<f32>) -> Result<(Array2<f32>, Array2<u64>), String> {
    let rows = x.nrows();
    match rows {
        1 | 4 | 8 => Ok((&x * 2.0, Array2::from_elem((rows, 1), rows as u64))),
        _ => Err(format!("there is no network for {rows} rows")),
    }
}

pytriton::main!();
