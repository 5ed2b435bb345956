use pytriton::prelude::*;
use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    let by = std::rc::Rc::new(2.0);
    Function::new(PerBatch, move |call| Ok(&call.array::<f32, Ix2>("x")? * *by));
}

//~ 5:     let by = std::sync::Arc::new(2.0);
