#![deny(warnings)]
#![deny(rust_2018_idioms, unused_qualifications)]
use pytriton_ui_tests::{infer, tensor};

#[pytriton::model(name = "Qualified")]
#[pytriton::batch]
#[pytriton::output(name = "y")]
fn qualified<'a>(
    x: pytriton::ndarray::ArrayView2<'a, f32>,
    #[pytriton::first_value] by: f32,
    parameters: &'a pytriton::Parameters,
    context: &pytriton::Context,
) -> pytriton::ndarray::Array2<f32> {
    &x * (by + parameters.len() as f32 + context.instance() as f32)
}

pub(crate) fn main() {
    let inputs = [
        ("x", tensor::<f32>(&[1, 1], [2.0])),
        ("by", tensor::<f32>(&[1, 1], [3.0])),
    ];
    assert_eq!(
        infer("Qualified", &[&inputs]),
        [Ok(vec![tensor::<f32>(&[1, 1], [6.0])])]
    );
}
