use pytriton::prelude::*;
use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    Function::new(PerBatch.stateful(|_| Ok(vec![1.0_f32])), |call| {
        Ok(call.state.iter().map(|x| Ok(array![[*x]])))
    });
}

//~ 6:         let responses = call.responses()?;
//~ 6:         for x in call.state.iter() {
//~ 6:             responses.blocking_send(array![[*x]])?;
//~ 6:         }
//~ 6:         Ok(())
