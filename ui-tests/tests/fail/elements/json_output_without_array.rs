use pytriton::elements::Json;
use pytriton::prelude::*;

#[pytriton::model(name = "Boxes")]
#[batch]
fn boxes(_x: ArrayView2<f32>) -> Json<Vec<f32>> {
    Json(vec![1.0])
}

fn main() {}
//~ 6: fn boxes(_x: ArrayView2<f32>) -> Array2<Json<Vec<f32>>> {
//~ 7:     array![[Json(vec![1.0])]]
