#![deny(warnings)]
use pytriton_ui_tests::spec;

mod served {
    pub use pytriton as renamed;
}

use served::renamed::prelude::*;

#[derive(Outputs)]
#[output(crate = crate::served::renamed)]
struct Both {
    sum: Array2<f32>,
    #[output(name = "DIFFERENCE", shape = [3])]
    difference: Array2<f32>,
}

#[model(name = "Renamed", crate = crate::served::renamed)]
fn renamed(a: ArrayView2<f32>, b: ArrayView2<f32>) -> Both {
    Both {
        sum: &a + &b,
        difference: &a - &b,
    }
}

fn main() {
    assert_eq!(spec("Renamed").outputs[1].dims, [3]);
}
