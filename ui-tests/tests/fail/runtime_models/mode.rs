use pytriton::prelude::*;
use pytriton::Function;

fn main() {
    Function::new("batch", |_| Ok(array![[1.0_f32]]));
}

//~ 5:     Function::new(pytriton::PerBatch, |_| Ok(array![[1.0_f32]]));
