#![deny(warnings)]
#![deny(
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused_qualifications
)]
//! Models in modules and functions, with `#[cfg]` and lint attributes.

use pytriton_ui_tests::spec;

mod inner {
    use pytriton::prelude::*;

    #[pytriton::model(name = "Inner")]
    #[allow(clippy::needless_pass_by_value)]
    fn inner(x: Array2<f32>) -> Array2<f32> {
        x
    }

    #[cfg(any())]
    #[pytriton::model(name = "Never")]
    fn never(x: Array2<f32>) -> Array2<f32> {
        x
    }
}

pub(crate) fn main() {
    use pytriton::prelude::*;

    #[pytriton::model(name = "Local")]
    #[cfg_attr(all(), batch)]
    fn local(x: Array2<f32>) -> Array2<f32> {
        x
    }

    assert_eq!(*spec("Inner").name, *"Inner");
    assert_eq!(*spec("Local").name, *"Local");
    let registry = pytriton_runtime::registry::Registry::collect().unwrap();
    assert!(registry.iter().all(|model| *model.name != *"Never"));
}
