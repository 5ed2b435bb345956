//! A line that is trained while it is served: `fit` trains it with points, `predict` evaluates it.

use std::env;
use std::error::Error;
use std::sync::{Arc, PoisonError, RwLock};

use pytriton::Triton;
use pytriton::ndarray::{Ix2, Zip};
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};

const RATE: f32 = 0.1;

#[derive(Debug, Clone, Copy, Default)]
struct LinearRegression {
    slope: f32,
    offset: f32,
}

impl LinearRegression {
    fn predict(self, x: f32) -> f32 {
        self.slope * x + self.offset
    }

    /// Makes one step of gradient descent, and returns the squared error before the step.
    fn fit(&mut self, x: f32, y: f32) -> f32 {
        let error = y - self.predict(x);
        self.slope += RATE * error * x;
        self.offset += RATE * error;
        error * error
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let triton = Triton::builder().arguments(env::args().skip(1)).build()?;
    let learning = Arc::new(RwLock::new(LinearRegression::default()));
    let regression = Arc::clone(&learning);
    let fit = Function::new(PerBatch, move |call| {
        let (x, y) = (call.array::<f32, Ix2>("x")?, call.array::<f32, Ix2>("y")?);
        let mut regression = learning.write().unwrap_or_else(PoisonError::into_inner);
        Ok(Zip::from(&x)
            .and(&y)
            .map_collect(|&x, &y| regression.fit(x, y)))
    });
    let predict = Function::new(PerBatch, move |call| {
        let regression = *regression.read().unwrap_or_else(PoisonError::into_inner);
        Ok(call.array::<f32, Ix2>("x")?.mapv(|x| regression.predict(x)))
    });
    let x = || Input::new::<f32>("x", [1]);
    let model = Model::new("fit").max_batch_size(64).input(x());
    let model = model.input(Input::new::<f32>("y", [1]));
    triton.bind(model.output(Output::new::<f32>("loss", [1])), fit)?;
    let model = Model::new("predict").max_batch_size(64).input(x());
    triton.bind(model.output(Output::new::<f32>("y", [1])), predict)?;
    Ok(triton.serve()?)
}
