use std::sync::Arc;

use pytriton::prelude::*;

struct Weights(f32);

struct Scale(f32);

#[pytriton::model(name = "Scale")]
impl Scale {
    #[load]
    fn load(weights: &mut Arc<Weights>) -> Self {
        Self(weights.0)
    }

    #[infer]
    #[batch]
    fn scale(&self, x: ArrayView2<f32>) -> Array2<f32> {
        &x * self.0
    }
}

fn main() {}
//~ 12:     fn load(weights: &Arc<Weights>) -> Self {
