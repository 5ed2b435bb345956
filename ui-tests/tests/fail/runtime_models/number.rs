use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    Function::new(PerBatch, |call| Ok(call.scalar::<f32>("x")?));
}

//~ 4:     Function::new(PerBatch, |call| Ok(pytriton::ndarray::array![[call.scalar::<f32>("x")?]]));
