#![deny(warnings)]
use pytriton::prelude::*;
use pytriton_ui_tests::spec;

#[derive(Outputs)]
struct Sums {
    /// What it costs.
    #[output(name = "SUM")]
    sum: Array2<f32>,
    plain: Array2<f32>,
}

/// Adds up.
#[pytriton::model(name = "Sum")]
#[batch]
fn sum(
    /// The prices,
    /// one for each thing.
    #[input(name = "PRICES")]
    prices: ArrayView2<f32>,
    #[first_value]
    #[doc = "A discount."]
    discount: f32,
    /** Nobody reads this. */
    _context: &Context,
    plain: ArrayView2<f32>,
) -> Sums {
    Sums {
        sum: &prices * discount,
        plain: plain.to_owned(),
    }
}

struct State;

#[pytriton::model(name = "Method")]
impl State {
    #[load]
    fn load() -> Self {
        Self
    }

    #[infer]
    fn infer(
        &self,
        /// The returned values.
        x: ArrayView2<f32>,
    ) -> Array2<f32> {
        x.to_owned()
    }
}

pub(crate) fn main() {
    let sum = spec("Sum");
    let inputs: Vec<&str> = sum.inputs.iter().map(|input| &*input.description).collect();
    assert_eq!(
        inputs,
        ["The prices,\none for each thing.", "A discount.", ""]
    );
    let outputs: Vec<&str> = sum
        .outputs
        .iter()
        .map(|output| &*output.description)
        .collect();
    assert_eq!(outputs, ["What it costs.", ""]);
    assert_eq!(
        &*spec("Method").inputs[0].description,
        "The returned values."
    );
    assert_eq!(&*sum.description, "Adds up.");
}
