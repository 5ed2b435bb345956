#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::{infer, spec, tensor};

#[pytriton::model(name = "AddSub", batching = false)]
fn add_sub(a: ArrayView1<i32>, b: ArrayView1<i32>) -> (Array1<i32>, Array1<i32>) {
    (&a + &b, &a - &b)
}

pub(crate) fn main() {
    let spec = spec("AddSub");
    assert!(!spec.batching() && spec.batcher.is_none());
    assert_eq!(
        (spec.version, spec.instances.count(), spec.location.line),
        (1, 1, 5)
    );
    let inputs = [("a", tensor(&[2], [5, 6])), ("b", tensor(&[2], [1, 2]))];
    let expected = vec![tensor(&[2], [6, 8]), tensor(&[2], [4, 4])];
    assert_eq!(infer("AddSub", &[&inputs]), [Ok(expected)]);
}
