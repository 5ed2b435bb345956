use pytriton::runtime_models::{Function, PerBatch};

fn main() {
    Function::new(PerBatch, |x, by| Ok(&x * by));
}

//~ 4:     Function::new(PerBatch, |call| {
//~ 4:         let by: f32 = call.scalar("by")?;
//~ 4:         Ok(&call.array::<f32, pytriton::ndarray::Ix2>("x")? * by)
//~ 4:     });
