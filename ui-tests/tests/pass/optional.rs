#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, tensor};

#[pytriton::model(name = "Optional", batching = false)]
fn optional(
    view: Option<ArrayView1<i32>>,
    owned: Option<Array1<i32>>,
    any: std::option::Option<ArrayView2<'_, i32>>,
) -> Array1<i32> {
    let sums = [
        view.map(|x| x.sum()),
        owned.map(|x| x.sum()),
        any.map(|x| x.sum()),
    ];
    sums.map(|sum| sum.unwrap_or(-1)).to_vec().into()
}

pub(crate) fn main() {
    let view = ("view", tensor(&[2], [1, 2]));
    let any = ("any", tensor(&[1, 2], [3, 4]));
    let expected = [
        Ok(vec![tensor(&[3], [3, -1, -1])]),
        Ok(vec![tensor(&[3], [-1, -1, 7])]),
    ];
    assert_eq!(infer("Optional", &[&[view], &[any]]), expected);
}
