use pytriton::prelude::*;
use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    Function::new(PerBatch, |call| Ok(array![[*call.state]]));
}

//~ 5:     Function::new(PerBatch.stateful(|_| Ok(1)), |call| Ok(array![[*call.state]]));
