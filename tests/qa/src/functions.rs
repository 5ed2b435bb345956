//! Functions whose responses depend only on the request.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use pytriton::{DataType, Failure, Function, Inputs, ParameterValue, Tensor};

use crate::numbers;
use crate::spec::Spec;

/// The sum and the difference of two inputs, in the datatypes of the outputs. Later versions swap
/// the outputs, like the models that NVIDIA generates.
pub(crate) fn add_sub(spec: &Spec, version: u32) -> Result<Function, Failure> {
    let delay = Duration::from_millis(spec.number("execute_delay_ms")?);
    let outputs = spec.outputs.iter().map(|output| output.datatype());
    let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
    let names = [spec.inputs[0].name.clone(), spec.inputs[1].name.clone()];
    let swapped = version > 1;
    Ok(whole(spec, move |inputs| {
        let [a, b] = [&names[0], &names[1]].map(|name| inputs.tensor(name));
        let (a, b) = (a?.ok_or("no first input")?, b?.ok_or("no second input")?);
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
fn wrapping_add_sub(a: &Tensor, b: &Tensor) -> Result<Vec<Tensor>, Failure> {
    let (first, second) = (a.elements::<i64>()?, b.elements::<i64>()?);
    let tensor = |operation: fn(i64, i64) -> i64| {
        let pairs = first.iter().zip(second.iter());
        let elements = pairs.map(|(a, b)| operation(*a, *b)).collect();
        Tensor::from_elements(a.shape().to_vec(), elements)
    };
    Ok(vec![tensor(i64::wrapping_add)?, tensor(i64::wrapping_sub)?])
}

/// Returns each input as the output in the same position.
pub(crate) fn identity(spec: &Spec) -> Result<Function, Failure> {
    let delay = Duration::from_millis(spec.number("execute_delay_ms")?);
    let names: Vec<String> = spec.inputs.iter().map(|input| input.name.clone()).collect();
    let outputs = spec.outputs.len();
    let multiplier = u32::try_from(spec.number("instance_wise_delay_multiplier")?)?;
    Ok(whole(spec, move |inputs| {
        thread::sleep(delay * (multiplier * inputs.context().instance()).max(1));
        let tensors = names.iter().take(outputs).map(|name| {
            let tensor = inputs.tensor(name)?;
            Ok(tensor.ok_or("an input is missing")?.clone())
        });
        tensors.collect::<Result<Vec<Tensor>, Failure>>()
    }))
}

/// Returns each input as the output in the same position. Each instance takes a while to load.
pub(crate) fn slow_load(spec: &Spec) -> Result<Function, Failure> {
    let delay = Duration::from_millis(spec.number("load_delay_ms")?);
    let names: Vec<String> = spec.inputs.iter().map(|input| input.name.clone()).collect();
    let function = Function::stateful(move |_| {
        thread::sleep(delay);
        Ok(())
    });
    Ok(function.sample(move |(), inputs| {
        let tensors = names.iter().map(|name| {
            let tensor = inputs.tensor(name)?;
            Ok(tensor.ok_or("an input is missing")?.clone())
        });
        tensors.collect::<Result<Vec<Tensor>, Failure>>()
    }))
}

/// Does the same for batches of requests with different shapes.
pub(crate) fn ragged_identity(spec: &Spec) -> Result<Function, Failure> {
    let delay = Duration::from_millis(spec.number("execute_delay_ms")?);
    let names: Vec<String> = spec.inputs.iter().map(|input| input.name.clone()).collect();
    Ok(Function::raw(move |requests| {
        thread::sleep(delay);
        let responses = requests.iter().map(|request| {
            let tensors = names.iter().map(|name| {
                let tensor = request.tensor(name);
                Ok(tensor.ok_or("an input is missing")?.clone())
            });
            tensors.collect::<Result<Vec<Tensor>, Failure>>()
        });
        Ok(responses.collect())
    }))
}

/// Each output is the input in the same position with the dimensions of the output.
pub(crate) fn reshape(spec: &Spec) -> Result<Function, Failure> {
    let names: Vec<String> = spec.inputs.iter().map(|input| input.name.clone()).collect();
    let dims = spec.outputs.iter().map(|output| output.dims.clone());
    let dims: Vec<Vec<i64>> = dims.collect();
    let batching = spec.max_batch_size > 0;
    Ok(whole(spec, move |inputs| {
        let tensors = names.iter().zip(&dims).map(|(name, dims)| {
            let tensor = inputs.tensor(name)?.ok_or("an input is missing")?;
            let rows = tensor.shape().iter().take(usize::from(batching)).copied();
            let sizes = dims.iter().map(|&dim| usize::try_from(dim));
            let sizes = sizes.collect::<Result<Vec<_>, _>>()?;
            Ok(tensor.reshaped(rows.chain(sizes).collect::<Vec<usize>>())?)
        });
        tensors.collect::<Result<Vec<Tensor>, Failure>>()
    }))
}

/// Each output is the input in the same position, or zero without it.
pub(crate) fn optional_identity(spec: &Spec) -> Result<Function, Failure> {
    let inputs = spec
        .inputs
        .iter()
        .map(|input| Ok((input.name.clone(), input.datatype()?)));
    let names = inputs.collect::<Result<Vec<_>, Failure>>()?;
    Ok(whole(spec, move |inputs| {
        let rows = inputs
            .requests()
            .iter()
            .map(|request| request.batch_size())
            .sum();
        let tensors = names
            .iter()
            .map(|(name, datatype)| match inputs.tensor(name)? {
                Some(tensor) => Ok(tensor.clone()),
                None => numbers::write(*datatype, &[rows, 1], &vec![0.0; rows]),
            });
        tensors.collect::<Result<Vec<Tensor>, Failure>>()
    }))
}

/// Numbers that are not finite among others.
pub(crate) fn nan_inf(_: &Spec) -> Result<Function, Failure> {
    Ok(Function::sample(|_| {
        let elements = vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0, 2.0, 3.0];
        Ok(vec![Tensor::from_elements(vec![elements.len()], elements)?])
    }))
}

/// Zero, whatever the inputs.
pub(crate) fn constant(spec: &Spec) -> Result<Function, Failure> {
    let outputs = spec.outputs.iter().map(|output| output.datatype());
    let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
    Ok(Function::sample(move |_| {
        let tensors = outputs
            .iter()
            .map(|datatype| numbers::write(*datatype, &[1], &[0.0]));
        tensors.collect::<Result<Vec<Tensor>, _>>()
    }))
}

/// The names and the values of the request's parameters.
pub(crate) fn parameters(_: &Spec) -> Result<Function, Failure> {
    Ok(Function::sample(|inputs| {
        let parameters = inputs.requests()[0].parameters();
        let text = |value: &ParameterValue| match value {
            // As Python writes them.
            ParameterValue::Bool(true) => "True".to_owned(),
            ParameterValue::Bool(false) => "False".to_owned(),
            ParameterValue::Int64(value) => value.to_string(),
            ParameterValue::Double(value) => value.to_string(),
            ParameterValue::String(value) => value.clone(),
            ParameterValue::Uint64(value) => value.to_string(),
        };
        let names: Vec<String> = parameters.iter().map(|(name, _)| name.to_owned()).collect();
        let values: Vec<String> = parameters.iter().map(|(_, value)| text(value)).collect();
        let tensor = |texts: Vec<String>| Tensor::from_elements(vec![texts.len()], texts);
        Ok(vec![tensor(names)?, tensor(values)?])
    }))
}

/// Whether the parameters contain the members of the JSON object in the input.
pub(crate) fn expected_headers(spec: &Spec) -> Result<Function, Failure> {
    let input = spec.inputs[0].name.clone();
    Ok(Function::sample(move |inputs| {
        let tensor = inputs.tensor(&input)?.ok_or("the input is missing")?;
        let text = tensor.elements::<String>()?;
        let expected: BTreeMap<String, String> = serde_json::from_str(&text[0])?;
        let parameters = inputs.requests()[0].parameters();
        let found = expected
            .iter()
            .all(|(name, value)| parameters.str(name) == Some(value));
        Ok(vec![Tensor::from_elements(vec![1], vec![found])?])
    }))
}

/// Makes one call per batch, or per request for a model without a batch axis.
fn whole<F>(spec: &Spec, function: F) -> Function
where
    F: Fn(&Inputs<'_>) -> Result<Vec<Tensor>, Failure> + Send + Sync + 'static,
{
    match spec.max_batch_size {
        0 => Function::sample(function),
        _ => Function::batch(function),
    }
}
