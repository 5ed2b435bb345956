use pytriton::prelude::*;
use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    Function::new(PerBatch, |call| Ok(call.array::<f32, Ix2>("x")?));
}

//~ 5:     Function::new(PerBatch, |call| Ok(call.array::<f32, Ix2>("x")?.into_owned()));
