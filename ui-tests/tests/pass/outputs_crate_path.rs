#![deny(warnings)]
use pytriton_ui_tests::spec;

mod served {
    pub use pytriton as renamed;
}

use served::renamed::prelude::*;

#[derive(Outputs)]
#[output(crate = crate::outputs_crate_path::served::renamed)]
struct Both {
    sum: Array2<f32>,
    #[output(name = "DIFFERENCE", shape = [3])]
    difference: Array2<f32>,
}

#[model(name = "OutputsCratePath", crate = crate::outputs_crate_path::served::renamed)]
fn renamed(a: ArrayView2<f32>, b: ArrayView2<f32>) -> Both {
    Both {
        sum: &a + &b,
        difference: &a - &b,
    }
}

pub(crate) fn main() {
    assert_eq!(spec("OutputsCratePath").outputs[1].dims, [3]);
}
