#![deny(warnings)]
#![no_implicit_prelude]
#![allow(dead_code)]
use ::pytriton::prelude::{Array2, ArrayView2, batch, first_value, model};

mod core {}
mod std {}
mod pytriton {}
struct Box;
struct Option;
struct Result;
struct Instance;

#[model(name = "Hygiene")]
#[batch]
fn call(
    call: ArrayView2<f32>,
    #[first_value] _call: f32,
    #[first_value] context: f32,
) -> Array2<f32> {
    &call * (_call + context)
}

pub(crate) fn main() {
    ::std::assert_eq!(::pytriton_ui_tests::spec("Hygiene").inputs.len(), 3);
}
