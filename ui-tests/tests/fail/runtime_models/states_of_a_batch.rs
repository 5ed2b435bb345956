use pytriton::prelude::*;
use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    Function::new(PerBatch.per_sequence(|_, _| Ok(0)), |call| {
        *call.sequence_state += 1;
        Ok(array![[1]])
    });
}

//~ 6:         for state in call.sequence_state {
//~ 6:             *state += 1;
//~ 6:         }
