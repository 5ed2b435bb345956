use pytriton::prelude::*;
use pytriton::runtime_models::Function;

fn main() {
    Function::new(pytriton::runtime_models::PerBatch, |_| Ok(vec![Ok(array![[1.0_f32]])]));
}

//~ 5:     Function::new(pytriton::runtime_models::Raw, |_| Ok(vec![Ok(array![[1.0_f32]])]));
