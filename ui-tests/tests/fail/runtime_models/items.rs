use pytriton::prelude::*;
use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    Function::new(PerBatch, |_| Ok((0..3).map(|number| array![[number]])));
}

//~ 5:     Function::new(PerBatch, |_| Ok((0..3).map(|number| Ok(array![[number]]))));
