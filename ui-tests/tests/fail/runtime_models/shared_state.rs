use pytriton::prelude::*;
use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    Function::new_async(PerBatch.stateful(|_| Ok(0)), async |call| {
        *call.state += 1;
        Ok(array![[*call.state]])
    });
}

//~ 5:     Function::new_async(PerBatch.stateful(|_| Ok(std::cell::Cell::new(0))), async |call| {
//~ 6:         call.state.set(call.state.get() + 1);
//~ 7:         Ok(array![[call.state.get()]])
