use pytriton::prelude::*;
use pytriton::runtime_models::{Function, Raw};

fn main() {
    Function::new(Raw, |_| Ok(array![[1.0_f32]]));
}

//~ 5:     Function::new(Raw, |_| Ok(vec![Ok(array![[1.0_f32]])]));
