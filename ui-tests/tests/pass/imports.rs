// The imports of the decorators that `#[model]` consumes count as used.
#![deny(warnings)]

use pytriton::ndarray::Array2;
use pytriton::{
    batch, fill_optionals, first_value, infer, input, load, model, output, pad_batch, sample,
};

#[model(name = "Function", max_batch_size = 4)]
#[fill_optionals(scale = 1.0)]
#[batch]
#[pad_batch]
#[output(name = "y")]
fn function(#[input(name = "X")] x: Array2<f32>, #[first_value] scale: Option<f32>) -> Array2<f32> {
    x * scale.unwrap_or(1.0)
}

#[model(name = "Sample", batching = false)]
#[sample]
fn one(x: Array2<f32>) -> Array2<f32> {
    x
}

struct State;

#[model(name = "State")]
impl State {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    fn infer(&self, x: Array2<f32>) -> Array2<f32> {
        x
    }
}

pub(crate) fn main() {}
