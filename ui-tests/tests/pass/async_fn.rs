#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, tensor};

#[pytriton::model(name = "Async")]
#[batch]
async fn double(x: ArrayView2<f32>, y: Option<ArrayView2<'_, f32>>) -> Result<Array2<f32>, String> {
    std::future::ready(()).await;
    Ok(&x * y.map_or(2.0, |y| y.sum()))
}

pub(crate) fn main() {
    let inputs = [("x", tensor::<f32>(&[1, 2], [1.0, 2.0]))];
    assert_eq!(
        infer("Async", &[&inputs]),
        [Ok(vec![tensor::<f32>(&[1, 2], [2.0, 4.0])])]
    );
}
