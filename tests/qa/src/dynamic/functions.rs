//! Functions whose responses depend only on the request.

use std::thread;
use std::time::Duration;

use pytriton::runtime_models::{Function, FunctionCall, PerBatch, PerRequest, Raw, StackedUnit};
use pytriton::{DataType, Error, Tensor};

use super::numbers;
use super::spec::Spec;

/// The sum and the difference of two inputs, in the datatypes of the outputs. Later versions swap
/// the outputs, like the models that NVIDIA generates.
pub(crate) fn add_sub(spec: &Spec, version: u32) -> Result<Function, Error> {
    let delay = Duration::from_millis(spec.number("execute_delay_ms")?);
    let outputs = spec.outputs.iter().map(|output| output.datatype());
    let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
    let names = [spec.inputs[0].name.clone(), spec.inputs[1].name.clone()];
    let swapped = version > 1;
    Ok(per_batch(spec, move |inputs| {
        let [a, b] = [&names[0], &names[1]].map(|name| inputs.tensor(name));
        let (a, b) = (a?, b?);
        thread::sleep(delay);
        let shape = a.shape();
        if a.datatype() == DataType::Int64 {
            return wrapping_add_sub(a, b);
        }
        let (a, b) = (numbers::read(a)?, numbers::read(b)?);
        let pairs = a.iter().zip(&b);
        let sum: Vec<f64> = pairs.clone().map(|(a, b)| a + b).collect();
        let difference: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
        let values = match swapped {
            false => [sum, difference],
            true => [difference, sum],
        };
        let tensors = outputs.iter().zip(&values);
        let tensors = tensors.map(|(datatype, values)| numbers::write(*datatype, shape, values));
        tensors.collect::<Result<Vec<Tensor>, _>>()
    }))
}

/// Does the same for INT64, whose elements can exceed the exact range of FP64.
fn wrapping_add_sub(a: &Tensor, b: &Tensor) -> Result<Vec<Tensor>, Error> {
    let (first, second) = (a.elements::<i64>()?, b.elements::<i64>()?);
    let tensor = |operation: fn(i64, i64) -> i64| {
        let pairs = first.iter().zip(second.iter());
        let elements = pairs.map(|(a, b)| operation(*a, *b)).collect();
        Tensor::from_elements(a.shape().to_vec(), elements)
    };
    Ok(vec![tensor(i64::wrapping_add)?, tensor(i64::wrapping_sub)?])
}

/// Returns each input as the output in the same position.
pub(crate) fn identity(spec: &Spec) -> Result<Function, Error> {
    let delay = Duration::from_millis(spec.number("execute_delay_ms")?);
    let names: Vec<String> = spec.inputs.iter().map(|input| input.name.clone()).collect();
    let outputs = spec.outputs.len();
    let multiplier = u32::try_from(spec.number("instance_wise_delay_multiplier")?)?;
    Ok(per_batch(spec, move |inputs| {
        thread::sleep(delay * (multiplier * inputs.instance).max(1));
        let tensors = names.iter().take(outputs).map(|name| {
            let tensor = inputs.tensor(name)?;
            Ok(tensor.clone())
        });
        tensors.collect::<Result<Vec<Tensor>, Error>>()
    }))
}

/// Returns each input as the output in the same position. A batch can have requests with different
/// shapes.
pub(crate) fn ragged_identity(spec: &Spec) -> Result<Function, Error> {
    let delay = Duration::from_millis(spec.number("execute_delay_ms")?);
    let names: Vec<String> = spec.inputs.iter().map(|input| input.name.clone()).collect();
    Ok(Function::new(Raw, move |call| {
        thread::sleep(delay);
        let responses = call.requests().iter().map(|request| {
            let tensors = names.iter().map(|name| {
                let tensor = request.tensor(name);
                Ok(tensor.ok_or("an input is missing")?.clone())
            });
            tensors.collect::<Result<Vec<Tensor>, Error>>()
        });
        Ok(responses.collect::<Vec<_>>())
    }))
}

/// Each output is the input in the same position with the dimensions of the output.
pub(crate) fn reshape(spec: &Spec) -> Result<Function, Error> {
    let names: Vec<String> = spec.inputs.iter().map(|input| input.name.clone()).collect();
    let dims = spec.outputs.iter().map(|output| output.dims.clone());
    let dims: Vec<Vec<i64>> = dims.collect();
    let batching = spec.max_batch_size > 0;
    Ok(per_batch(spec, move |inputs| {
        let tensors = names.iter().zip(&dims).map(|(name, dims)| {
            let tensor = inputs.tensor(name)?;
            let rows = tensor.shape().iter().take(usize::from(batching)).copied();
            let sizes = dims.iter().map(|&dim| usize::try_from(dim));
            let sizes = sizes.collect::<Result<Vec<_>, _>>()?;
            Ok(tensor.reshaped(rows.chain(sizes).collect::<Vec<usize>>())?)
        });
        tensors.collect::<Result<Vec<Tensor>, Error>>()
    }))
}

/// Returns the first element of `IN` and the index 0, after the number of milliseconds in `DELAY`.
pub(crate) fn repeat_once(_: &Spec) -> Result<Function, Error> {
    Ok(Function::new(PerRequest, |call| {
        let first = |name: &str| match call.tensor(name)? {
            Some(tensor) => Ok(numbers::read(tensor)?
                .first()
                .copied()
                .ok_or("no element")?),
            None => Err(Error::from(format!("no {name}"))),
        };
        let (value, delay) = (first("IN")?, first("DELAY")?);
        thread::sleep(Duration::from_millis(delay as u64));
        Ok(vec![
            numbers::write(DataType::Int32, &[1], &[value])?,
            numbers::write(DataType::Uint32, &[1], &[0.0])?,
        ])
    }))
}

/// Cannot be loaded.
pub(crate) fn failing_load(_: &Spec) -> Result<Function, Error> {
    let state = PerRequest.stateful(|_| Err::<(), _>(Error::from("the model is invalid")));
    Ok(Function::new(state, |_| Ok(Vec::new())))
}

/// Makes one call per batch, or per request for a model without a batch axis.
fn per_batch<F>(spec: &Spec, function: F) -> Function
where
    F: Fn(&Inputs<'_>) -> Result<Vec<Tensor>, Error> + Send + Sync + 'static,
{
    match spec.max_batch_size {
        0 => Function::new(PerRequest, move |call| function(&Inputs::of(&call))),
        _ => Function::new(PerBatch, move |call| function(&Inputs::of(&call))),
    }
}

/// The inputs of a batch or of a request.
struct Inputs<'a> {
    tensors: Vec<(&'a str, &'a Tensor)>,
    instance: u32,
}

impl<'a> Inputs<'a> {
    fn of<U: StackedUnit>(call: &FunctionCall<'a, U>) -> Self {
        Self {
            tensors: call.iter().collect(),
            instance: call.context().instance(),
        }
    }

    fn tensor(&self, name: &str) -> Result<&'a Tensor, Error> {
        let mut tensors = self.tensors.iter();
        let tensor = tensors.find(|(other, _)| *other == name);
        Ok(tensor.ok_or_else(|| format!("input {name} is missing"))?.1)
    }
}
