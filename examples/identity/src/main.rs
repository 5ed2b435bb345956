use pytriton::prelude::*;

// One request at a time: nothing has to be gathered into a batch, nor cut apart again. A copy takes
// less time than handing the request to another thread, and it cannot block.
#[pytriton::model(name = "Identity", max_batch_size = 16, inline = true)]
fn identity(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Array2<f32> {
    input.to_owned()
}

#[pytriton::model(name = "IdentityBytes", max_batch_size = 16)]
fn identity_bytes(#[input(name = "INPUT_1")] input: Array2<Vec<u8>>) -> Array2<Vec<u8>> {
    input
}

pytriton::main!();
