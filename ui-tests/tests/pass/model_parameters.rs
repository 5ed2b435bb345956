#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, spec, tensor};

#[pytriton::model(name = "Configured", parameters(weights = "/w", "labels.path" = "a \"b\"", r#type = "", match = "x",))]
fn configured(x: ArrayView2<f32>, context: &Context) -> Array2<String> {
    let weights = context.model().parameter("weights").unwrap_or_default();
    x.map(|_| weights.to_owned())
}

#[pytriton::model(name = "None", parameters())]
fn none(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

pub(crate) fn main() {
    let parameters = [
        ("weights", "/w"),
        ("labels.path", "a \"b\""),
        ("type", ""),
        ("match", "x"),
    ]
    .map(|(name, value)| (name.into(), value.into()));
    assert_eq!(spec("Configured").parameters, parameters);
    assert!(spec("None").parameters.is_empty());
    let x = tensor(&[1, 1], [1.0_f32]);
    let outputs = infer("Configured", &[&[("x", x)]]).remove(0).unwrap();
    assert_eq!(outputs[0].elements::<String>().unwrap().as_ref(), ["/w"]);
}
