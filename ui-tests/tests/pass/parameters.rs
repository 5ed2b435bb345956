#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_runtime::model::FirstValue;
use pytriton_ui_tests::{infer_with, spec, tensor};

/// Adds the rows of the call to the length of the parameter.
#[pytriton::model(name = "GroupedParameters")]
#[batch]
fn grouped(parameters: &Parameters, x: ArrayView2<u64>, #[first_value] by: u64) -> Array2<u64> {
    &x + by + x.nrows() as u64 + parameters.str("p").map_or(0, str::len) as u64
}

pub(crate) fn main() {
    let grouped = spec("GroupedParameters");
    assert!(grouped.by_parameters);
    assert_eq!(
        grouped.first_values,
        [FirstValue {
            input: 1,
            strict: true
        }]
    );
    let one = || tensor::<u64>(&[1, 1], [0]);
    let inputs = [("x", one()), ("by", one())];
    let requests = [
        (&inputs[..], &[("p", "a")][..]),
        (&inputs[..], &[("p", "a")][..]),
        (&inputs[..], &[("p", "four")][..]),
    ];
    let expected = [3, 3, 5].map(|x| Ok(vec![tensor::<u64>(&[1, 1], [x])]));
    assert_eq!(infer_with("GroupedParameters", &requests), expected);
}
