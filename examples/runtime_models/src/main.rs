//! Models that are defined at run time: `POLYNOMIALS="square=0,0,1 line=1,2"` defines two, with
//! coefficients of the powers of `x`.

use std::env;
use std::error::Error;

use pytriton::Triton;
use pytriton::ndarray::Ix2;
use pytriton::runtime_models::{Function, Input, Model, Output, PerBatch};

fn main() -> Result<(), Box<dyn Error>> {
    let triton = Triton::builder().arguments(env::args().skip(1)).build()?;
    let polynomials = env::var("POLYNOMIALS");
    for polynomial in polynomials
        .as_deref()
        .unwrap_or("square=0,0,1 line=1,2")
        .split(' ')
    {
        let (name, factors) = polynomial.split_once('=').ok_or("expected `name=1,2,…`")?;
        let factors = factors
            .split(',')
            .map(str::parse)
            .collect::<Result<Vec<f32>, _>>()?;
        let model = Model::new(name)
            .max_batch_size(16)
            .input(Input::new::<f32>("x", [-1]))
            .output(Output::new::<f32>("y", [-1]));
        let function = Function::new(PerBatch, move |call| {
            let x = call.array::<f32, Ix2>("x")?;
            Ok(x.mapv(|x| {
                factors
                    .iter()
                    .rev()
                    .fold(0.0, |sum, factor| sum * x + factor)
            }))
        });
        triton.bind(model, function)?;
    }
    Ok(triton.serve()?)
}
