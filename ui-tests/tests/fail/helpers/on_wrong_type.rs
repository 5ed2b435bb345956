use pytriton::prelude::*;

#[model(name = "m")]
fn f(#[input(nam = "x")] _x: Option<Vec<Request>>, #[batch] _p: &mut Context) -> Array2<f32> {
    todo!()
}

fn main() {}

//~ 3: #[model(name = "m")]
//~ 3: #[input(name = "x", datatype = FP32, shape = [-1])]
//~ 4: fn f(_x: &[Request], _p: &Context) -> Vec<Array2<f32>> {
