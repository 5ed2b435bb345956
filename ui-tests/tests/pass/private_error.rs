// A public model may have a private error type: callers receive its text.
#![expect(private_interfaces, reason = "that is what is tried")]
use std::fmt;

use pytriton::client::Typed;
use pytriton::prelude::*;

#[derive(Debug)]
struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("refused")
    }
}

#[pytriton::model(name = "Linear", client = Linear)]
#[fill_optionals(bias = 0.0)]
#[batch]
pub fn linear(x: Array2<f32>, bias: ArrayView2<f32>) -> Result<Array2<f32>, Refused> {
    match x.is_empty() {
        true => Err(Refused),
        false => Ok(x + bias),
    }
}

#[expect(dead_code, reason = "nothing serves it")]
fn ask(client: &Typed<Linear>, x: &Array2<f32>) -> Array2<f32> {
    client.call(x, None).unwrap() + client.call(x, x).unwrap()
}

pub(crate) fn main() {}
