//! Functions with any number of responses.

use std::thread;
use std::time::Duration;

use pytriton::{DataType, Failure, Function, Tensor};

use crate::numbers;
use crate::spec::Spec;

/// Sends one response for each element of `IN`, after the milliseconds in `DELAY`: the element and
/// its index.
pub(crate) fn repeat(_: &Spec) -> Result<Function, Failure> {
    Ok(Function::sample_iter(|inputs| {
        let numbers = |name| match inputs.tensor(name)? {
            Some(tensor) => numbers::read(tensor),
            None => Err(Failure::from(format!("no {name}"))),
        };
        let (values, delays) = (numbers("IN")?, numbers("DELAY")?);
        let responses = values.into_iter().zip(delays).enumerate();
        Ok(responses.map(|(index, (value, delay))| {
            thread::sleep(Duration::from_millis(delay as u64));
            let output = numbers::write(DataType::Int32, &[1], &[value])?;
            let index = numbers::write(DataType::Uint32, &[1], &[index as f64])?;
            Ok::<Vec<Tensor>, Failure>(vec![output, index])
        }))
    }))
}
