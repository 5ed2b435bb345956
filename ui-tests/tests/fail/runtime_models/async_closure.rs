use pytriton::prelude::*;
use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    Function::new(PerBatch, async |_| Ok(array![[1.0_f32]]));
}

//~ 5:     Function::new_async(PerBatch, async |_| Ok(array![[1.0_f32]]));
