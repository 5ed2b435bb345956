use pytriton::prelude::*;

// Without `#[batch]`, requests are neither gathered nor split. `inline` is safe because a copy does
// not block, and it is faster than a handover to another thread. With two instances, two threads
// can call it at the same time.
#[pytriton::model(name = "Identity", max_batch_size = 16, inline = true, instances = 2)]
fn identity(#[input(name = "INPUT_1")] input: ArrayView2<f32>) -> Array2<f32> {
    input.to_owned()
}

#[pytriton::model(name = "IdentityBytes", max_batch_size = 16)]
fn identity_bytes(#[input(name = "INPUT_1")] input: Array2<Vec<u8>>) -> Array2<Vec<u8>> {
    input
}

pytriton::main!();
