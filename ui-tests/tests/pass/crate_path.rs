#![deny(warnings)]
use pytriton_ui_tests::spec;

mod served {
    pub use pytriton as renamed;
}

use served::renamed::prelude::*;

#[model(name = "CratePath", crate = crate::crate_path::served::renamed)]
#[crate::crate_path::served::renamed::batch]
fn renamed(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

pub(crate) fn main() {
    assert_eq!(spec("CratePath").max_batch_size, 4);
}
