//! A model whose state fails to load, which must not start.

use pytriton::prelude::*;

struct Unloadable;

#[pytriton::model(name = "Unloadable", max_batch_size = 4)]
impl Unloadable {
    #[load]
    fn load(_context: &Context) -> Result<Self, String> {
        Err("the weights are missing".to_owned())
    }

    #[infer]
    #[batch]
    fn infer(&self, x: ArrayView2<f32>) -> Array2<f32> {
        x.to_owned()
    }
}

pytriton::main!();
