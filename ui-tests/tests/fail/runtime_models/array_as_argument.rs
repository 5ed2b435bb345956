use pytriton::prelude::*;
use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    Function::new(PerBatch, |x: ArrayView2<f32>| Ok(&x * 2.0));
}

//~ 5:     Function::new(PerBatch, |call| Ok(&call.array::<f32, Ix2>("x")? * 2.0));
