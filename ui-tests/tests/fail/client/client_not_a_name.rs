use pytriton::prelude::*;

#[pytriton::model(name = "Linear", client = "MyModel")]
#[batch]
fn linear(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}
//~ 3: #[pytriton::model(name = "Linear", client = MyModel)]
