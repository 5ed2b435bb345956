//! Functions with any number of responses.

use std::thread;
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use pytriton::{DataType, Failure, Function, Inputs, Tensor};

use crate::numbers;
use crate::spec::Spec;

/// Returns one response for each element of `IN`, after as many milliseconds as `DELAY` says: the
/// element and, for a model with such an output, its index. The parameter `repeat` names the ensemble
/// that the model replaces.
pub(crate) fn repeat(spec: &Spec) -> Result<Function, Failure> {
    let ensemble = spec.parameters.get("repeat").cloned().unwrap_or_default();
    let indexed = spec.outputs.len() > 1;
    let responses = move |inputs: &Inputs<'_>| {
        let numbers = |name| match inputs.tensor(name)? {
            Some(tensor) => numbers::read(tensor),
            None => Err(Failure::from(format!("no {name}"))),
        };
        let (values, delays) = (numbers("IN")?, numbers("DELAY")?);
        let (expected, received) = (values.len(), delays.len());
        if expected != received {
            let message = "expected IN and DELAY shape to match, got";
            return Err(Failure::from(format!(
                "{message} [{expected}] and [{received}]"
            )));
        }
        let ensemble = ensemble.clone();
        let values = values.into_iter().zip(delays).enumerate();
        Ok(values.flat_map(move |(index, (value, delay))| {
            let (value, count) = match ensemble.as_str() {
                "fan" => (2.0 * value, 1),
                "square" => (value, value as usize),
                _ => (value, 1),
            };
            let delay = Duration::from_millis(delay as u64);
            (0..count).map(move |copy| match copy {
                0 => (value, index, delay),
                _ => (value, index, Duration::ZERO),
            })
        }))
    };
    let tensors = move |value: f64, index: usize| {
        let mut tensors = vec![numbers::write(DataType::Int32, &[1], &[value])?];
        if indexed {
            tensors.push(numbers::write(DataType::Uint32, &[1], &[index as f64])?);
        }
        Ok::<Vec<Tensor>, Failure>(tensors)
    };
    if spec.parameters.contains_key("one_response") {
        return Ok(Function::sample(move |inputs| {
            let (value, index, delay) = responses(inputs)?.next().ok_or("no response")?;
            thread::sleep(delay);
            tensors(value, index)
        }));
    }
    Ok(Function::sample_stream(move |inputs| {
        let responses = stream::iter(responses(inputs)?);
        Ok(responses.then(move |(value, index, delay)| async move {
            tokio::time::sleep(delay).await;
            tensors(value, index)
        }))
    }))
}

/// The text of `PROMPT`, once or, with `STREAM`, as often as the parameter `REPETITION` says.
pub(crate) fn mock_llm(spec: &Spec) -> Result<Function, Failure> {
    let decoupled = !spec.parameters.contains_key("one_response");
    let text = |inputs: &Inputs<'_>| -> Result<(Tensor, bool), Failure> {
        let prompt = inputs.tensor("PROMPT")?.ok_or("no PROMPT")?.clone();
        let stream = inputs.tensor("STREAM")?.ok_or("no STREAM")?;
        Ok((prompt, numbers::read(stream)?.contains(&1.0)))
    };
    if !decoupled {
        return Ok(Function::sample(move |inputs| match text(inputs)? {
            (_, true) => Err("STREAM only supported in decoupled mode".into()),
            (prompt, false) => Ok(vec![prompt]),
        }));
    }
    Ok(Function::sample_iter(move |inputs| {
        let (mut prompt, stream) = text(inputs)?;
        let parameters = inputs.requests()[0].parameters();
        let delay = parameters
            .double("DELAY")
            .or(parameters.int("DELAY").map(|delay| delay as f64));
        if parameters.bool("OUTPUT_0_DIM") == Some(true) {
            prompt = Tensor::from_elements(vec![1, 0], Vec::<String>::new())?;
        }
        let count = match stream {
            true => parameters.int("REPETITION").unwrap_or(1),
            false => 1,
        };
        let fails = stream && parameters.bool("FAIL_LAST") == Some(true);
        let texts = (0..count).map(move |_| {
            thread::sleep(Duration::from_secs_f64(delay.unwrap_or_default()));
            Ok::<Vec<Tensor>, Failure>(vec![prompt.clone()])
        });
        Ok(texts.chain(fails.then(|| Err("An Error Occurred".into()))))
    }))
}
