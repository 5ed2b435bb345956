#![deny(warnings)]
use pytriton_ui_tests::spec;

mod served {
    pub use pytriton as renamed;
}

use served::renamed::prelude::*;

#[model(name = "Renamed", crate = crate::served::renamed)]
#[crate::served::renamed::batch]
fn renamed(x: ArrayView2<f32>) -> Array2<f32> {
    x.to_owned()
}

fn main() {
    assert_eq!(spec("Renamed").max_batch_size, 4);
}
