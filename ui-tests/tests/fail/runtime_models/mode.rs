use pytriton::prelude::*;
use pytriton::runtime_models::Function;

fn main() {
    Function::new("batch", |_| Ok(array![[1.0_f32]]));
}

//~ 5:     Function::new(pytriton::runtime_models::PerBatch, |_| Ok(array![[1.0_f32]]));
