use pytriton::prelude::*;

#[pytriton::model(name = "m")]
fn f(x: ArrayView2<f32>, _responses: &Responses<Array2<f32>>) -> Array2<f32> {
    x.to_owned()
}

fn main() {}

//~ 4: fn f(x: ArrayView2<f32>, responses: &Responses<Array2<f32>>) -> Result<(), String> {
//~ 5:     responses.blocking_send(x.to_owned()).map_err(|error| error.to_string())
