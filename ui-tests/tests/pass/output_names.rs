#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

#[pytriton::model(name = "Split")]
#[batch]
#[output(name = "head", shape = [1])]
#[output(shape = [-1])]
fn split(x: ArrayView2<f32>) -> (Array2<f32>, Array2<f32>) {
    (
        x.slice(s![.., ..1]).to_owned(),
        x.slice(s![.., 1..]).to_owned(),
    )
}

#[pytriton::model(name = "Any", batching = false)]
#[output(shape = [2, 3])]
fn any(x: ArrayView1<f32>) -> ArrayD<f32> {
    x.to_owned().into_dyn()
}

pub(crate) fn main() {
    let outputs: Vec<_> = spec("Split")
        .outputs
        .iter()
        .map(|o| (o.name.to_string(), o.dims.clone()))
        .collect();
    assert_eq!(
        outputs,
        [
            ("head".to_owned(), vec![1]),
            ("OUTPUT_2".to_owned(), vec![-1])
        ]
    );
    assert_eq!(spec("Any").outputs[0].dims, [2, 3]);
}
