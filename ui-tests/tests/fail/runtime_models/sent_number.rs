use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    Function::new(PerBatch, |call| Ok(call.responses()?.blocking_send(1.0)?));
}

//~ 4:     Function::new(PerBatch, |call| Ok(call.responses()?.blocking_send(pytriton::ndarray::array![[1.0]])?));
