#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, spec, tensor};

#[pytriton::model(name = "Scale")]
#[batch]
fn scale(
    x: ArrayView2<f32>,
    #[first_value] by: f32,
    #[first_value(strict = false)] offset: Option<ArrayView1<f32>>,
    #[input(name = "LABEL", shape = [1, 1])]
    #[first_value(strict = false, squeeze = true)]
    label: Option<String>,
) -> Array2<f32> {
    let offset = offset.map_or(0.0, |offset| offset.sum());
    &x * by + offset + label.map_or(0.0, |label| label.len() as f32)
}

pub(crate) fn main() {
    let spec = spec("Scale");
    let dims: Vec<_> = spec
        .inputs
        .iter()
        .map(|input| input.dims.as_slice())
        .collect();
    assert_eq!(dims, [&[-1][..], &[1], &[-1], &[1, 1]]);
    let optional: Vec<_> = spec.inputs.iter().map(|input| input.optional).collect();
    assert_eq!(optional, [false, false, true, true]);

    let request = |by: f32| {
        [
            ("x", tensor::<f32>(&[2, 1], [1.0, 2.0])),
            ("by", tensor::<f32>(&[2, 1], [by, by])),
            ("offset", tensor::<f32>(&[2, 2], [100.0, 200.0, 0.0, 0.0])),
            (
                "LABEL",
                tensor::<String>(&[2, 1, 1], ["four".to_owned(), String::new()]),
            ),
        ]
    };
    let expected = vec![tensor::<f32>(&[2, 1], [307.0, 310.0])];
    assert_eq!(
        infer("Scale", &[&request(3.0), &request(3.0)]),
        [Ok(expected.clone()), Ok(expected)]
    );
    // Requests with different values are executed one by one.
    assert_eq!(
        infer("Scale", &[&request(3.0), &request(4.0)]),
        [
            Ok(vec![tensor::<f32>(&[2, 1], [307.0, 310.0])]),
            Ok(vec![tensor::<f32>(&[2, 1], [308.0, 312.0])]),
        ]
    );
    let mut differing = request(3.0);
    differing[1] = ("by", tensor::<f32>(&[2, 1], [3.0, 4.0]));
    let results = infer("Scale", &[&differing, &request(3.0)]);
    assert!(results[0].as_ref().unwrap_err().contains("input 'by'"));
    assert!(results[1].is_ok());
    let short = &request(3.0)[..2];
    assert_eq!(
        infer("Scale", &[short]),
        [Ok(vec![tensor::<f32>(&[2, 1], [3.0, 6.0])])]
    );
}
