use pytriton::prelude::*;
use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    Function::new(PerBatch, |_| array![[1.0_f32]]);
}

//~ 5:     Function::new(PerBatch, |_| Ok(array![[1.0_f32]]));
