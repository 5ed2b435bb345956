use pytriton::prelude::*;
use pytriton::Function;

fn main() {
    Function::new(pytriton::PerBatch, |_| Ok(vec![Ok(array![[1.0_f32]])]));
}

//~ 5:     Function::new(pytriton::Raw, |_| Ok(vec![Ok(array![[1.0_f32]])]));
