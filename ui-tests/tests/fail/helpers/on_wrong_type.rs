use pytriton::prelude::*;

#[model(name = "m")]
fn f(#[input(nam = "x")] _x: Option<Vec<Request>>, #[batch] _p: &mut Parameters) -> Array2<f32> {
    todo!()
}

fn main() {}
