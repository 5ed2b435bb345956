use pytriton::prelude::*;
use pytriton::runtime_models::{Function, Raw};

fn main() {
    Function::new(Raw, |call| {
        let x = call.array::<f32, Ix2>("x")?;
        Ok(vec![Ok(&x * 2.0)])
    });
}

//~ 6:         let x = call.requests()[0].array::<f32>("x")?.ok_or("no x")?;
