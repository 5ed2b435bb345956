use std::rc::Rc;

use pytriton::prelude::*;

struct S(Rc<f32>);
#[pytriton::model(name = "m", inline = true)]
impl S {
    #[load] fn load() -> Self { S(Rc::new(1.0)) }
    #[infer] fn infer(&self, x: Array2<f32>) -> Array2<f32> { x * *self.0 }
}

fn main() {}

//~ 5: struct S(Box<f32>);
//~ 8:     #[load] fn load() -> Self { S(Box::new(1.0)) }
